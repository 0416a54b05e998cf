"""Features of a self-supervised encoder that the user has as an ONNX file (wav2vec 2.0, HuBERT, WavLM, CPC …), for segmenters of sound."""

from __future__ import annotations

from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError, import_extra
from caesura.files import Source
from caesura.validation import validate_integer, validate_positive

if TYPE_CHECKING:
    from caesura.segmenters.sound import Sound

_PART, _CONTEXT = 30.0, 1.0  # seconds that the encoder gets at a time, and of them at either side only as context
_PROBE = 1.0  # seconds of silence with which the step is measured


class OnnxEncoder:
    """Features of a recording by a model in an ONNX file; an instance is the ``features`` of :class:`~caesura.segmenters.sound.SpectralChange`.

    The model takes one recording as floats of shape (1, samples) or (1, 1, samples) and returns frames of shape (1, frames, dimensions) or (1, 1,
    frames, dimensions). Long recordings are encoded in parts of 30 s with a second of context on either side, so that memory does not grow with their
    length.

    Parameters
    ----------
    path : str or Path
        The ONNX file.
    output : str, default None
        The name of the output to use, such as that of a hidden layer; None takes the last one with three dimensions.
    rate : int, default 16000
        The samples per second that the model was trained with; recordings with others are resampled.
    frame : float, default 0.025
        The seconds of sound that the first frame describes: 25 ms for wav2vec 2.0, HuBERT and WavLM.
    normalize : bool, default True
        Whether to give each part mean 0 and variance 1, as wav2vec 2.0 and WavLM expect.

    Attributes
    ----------
    step : float
        Seconds from one frame to the next, as measured on the model: 0.02 for wav2vec 2.0.

    Raises
    ------
    FormatError
        If the file is no such model.
    MissingExtra
        If onnxruntime is not installed.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        output: str | None = None,
        rate: int = 16_000,
        frame: float = 0.025,
        normalize: bool = True,
    ) -> None:
        validate_integer("rate", rate, 1000)
        validate_positive("frame", frame)
        runtime = import_extra("onnxruntime", "onnx", "features of an ONNX model")
        self.path, self.rate, self.frame, self.normalize = Source.open(Path(path)).path, rate, float(frame), normalize
        settings = runtime.SessionOptions()
        settings.log_severity_level = 4  # onnxruntime writes to standard error otherwise; faults are reported below
        try:
            self._session = runtime.InferenceSession(str(self.path), settings, providers=["CPUExecutionProvider"])
        except Exception as fault:
            raise self._refusal(f"not a readable ONNX model: {_first_line(fault)}") from None
        inputs = self._session.get_inputs()
        if (
            len(inputs) != 1
            or inputs[0].type not in ("tensor(float)", "tensor(float16)")
            or len(inputs[0].shape) not in (2, 3)
        ):
            found = ", ".join(f"{each.name} {each.type} {each.shape}" for each in inputs)
            raise self._refusal(f"the inputs are {found}; expected one of floats of shape (1, samples).")
        self._input = inputs[0]
        names = [each.name for each in self._session.get_outputs()]
        if output is not None and output not in names:
            raise self._refusal(f"there is no output {output!r}; the model has {', '.join(names)}.")
        self._outputs = [output] if output is not None else names
        # The step: how many more frames another second gives, from a length that is long enough for all kernels.
        sizes = round(_PROBE * rate), round(3 * _PROBE * rate)
        short, long = (len(self._run(np.zeros(size))) for size in sizes)
        if long <= short:
            raise self._refusal(
                f"1 s and 3 s of sound both give {short} frames; expected a frame per some milliseconds."
            )
        self._hop = round((sizes[1] - sizes[0]) / (long - short))
        self.step = self._hop / rate

    def __call__(self, recording: Sound) -> NDArray[np.float64]:
        """Return one row per frame.

        Parameters
        ----------
        recording : Recording or SoundFile
            The recording.

        Returns
        -------
        ndarray
            Frames × dimensions.
        """
        whole = int(recording.size * self.rate / recording.rate)
        frames = max(0, (whole - round(self.frame * self.rate)) // self._hop + 1)
        around = max(1, round(_CONTEXT / self.step))
        size = max(1, round(_PART / self.step) - 2 * around)
        parts: list[NDArray[np.float64]] = []
        for first in range(0, frames, size):
            start, stop = max(0, first - around), min(first + size + around, frames)
            rows = self._run(self._samples(recording, start, stop))[first - start : first - start + size]
            parts.append(rows[: stop - first].astype(np.float32))
        return np.concatenate(parts).astype(np.float64) if parts else np.empty((0, 1))

    def _samples(self, recording: Sound, start: int, stop: int) -> NDArray[np.float64]:
        """Return the samples of frames ``start`` to ``stop`` at the rate of the model."""
        size = (stop - 1 - start) * self._hop + round(self.frame * self.rate)
        ratio = recording.rate / self.rate
        first = round(start * self._hop * ratio)
        read = recording.read(first, first + int(np.ceil(size * ratio)) + 1)
        if recording.rate != self.rate:
            signal = import_extra("scipy.signal", "speech", "resampling sound")
            common = gcd(self.rate, recording.rate)
            read = signal.resample_poly(read, self.rate // common, recording.rate // common)
        samples = read[:size]
        return np.concatenate((samples, np.zeros(size - len(samples))))  # rounding may lack the last sample

    def _run(self, samples: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.normalize:
            samples = (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)  # as Hugging Face's feature extractors
        kind = np.float16 if self._input.type == "tensor(float16)" else np.float32
        shape = (1, -1) if len(self._input.shape) == 2 else (1, 1, -1)
        try:
            found = self._session.run(self._outputs, {self._input.name: samples.reshape(shape).astype(kind)})
        except Exception as fault:
            raise self._refusal(f"{len(samples)} samples cannot be encoded: {_first_line(fault)}") from None
        found = [np.asarray(each) for each in found if hasattr(each, "shape")]
        # (1, frames, dimensions), or (1, 1, frames, dimensions) of models that convolve over time and dimensions
        fitting = [
            each.reshape(1, *each.shape[-2:]) for each in found if each.ndim in (3, 4) and set(each.shape[:-2]) == {1}
        ]
        if not fitting:
            shapes = ", ".join(str(each.shape) for each in found) or "?"
            raise self._refusal(f"the outputs have the shapes {shapes}; expected (1, frames, dimensions).")
        return np.asarray(fitting[-1][0])

    def _refusal(self, why: str) -> FormatError:
        return FormatError(self.path, None, why)


def _first_line(fault: BaseException) -> str:
    return str(fault).strip().partition("\n")[0][:200].rstrip(".") + "."


def onnx_encoder(given: str) -> OnnxEncoder:
    """Return the encoder of a file, ``"model.onnx"``, or of one of its outputs, ``"model.onnx#layer6"``."""
    path, _, output = given.partition("#")
    return OnnxEncoder(path, output=output or None)


def takes_onnx(given: Any) -> bool:
    """Whether the place of features is an ONNX file."""
    return isinstance(given, (str, Path)) and str(given).partition("#")[0].lower().endswith(".onnx")
