"""What places marks by machine: segmenters for speech and text, vowel restorers for Hebrew and Arabic."""
