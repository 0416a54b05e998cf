"""Recordings: decoding, storage, waveforms and spectrograms."""
