"""Formats of annotated recordings; all of them convert intervals by the rules of :mod:`~caesura.formats.speech.intervals`."""
