"""The page to hand around: what was measured, in words, tables and drawings."""
