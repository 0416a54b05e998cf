"""One annotation out of many, flat and nested."""
