"""Blind segmenters of speech: baselines that know nothing of the language, from a recording to boundaries."""

from caesura.annotators.segmenters.audio import Recording, read_wav
from caesura.annotators.segmenters.spectral import SpectralChange
from caesura.annotators.segmenters.uniform import Uniform

__all__ = ["Recording", "SpectralChange", "Uniform", "read_wav"]
