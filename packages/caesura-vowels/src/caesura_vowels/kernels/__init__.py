"""Compiled loops of the vowel models: plain functions on arrays."""
