"""What draws corpora: one module per drawing, found by name in the catalog."""
