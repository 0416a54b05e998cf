"""The compiled loops: plain functions on arrays, one file a family, no classes and no validation."""
