"""Blind segmenters of speech: baselines that know nothing of the language, from a recording to boundaries."""

from caesura.segmenters.sound.recording import Recording, read_wav
from caesura.segmenters.sound.spectral import SpectralChange

__all__ = ["Recording", "SpectralChange", "read_wav"]
