"""Recordings of the workbench: taken in, kept beside the store, drawn and heard."""
