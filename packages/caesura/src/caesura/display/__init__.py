"""How results show themselves: tables and scenes, and the media they are written in. Knows nothing of annotations."""
