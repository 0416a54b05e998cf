"""Annotations of recordings: one module per format, all of them turned into boundaries by the same rules."""
