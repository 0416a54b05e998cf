"""Annotations of recordings: one module a format, all of them turned into boundaries by the same rules."""
