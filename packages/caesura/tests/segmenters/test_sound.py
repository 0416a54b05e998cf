"""Blind segmenters on sound made for the test: steady vowels and hiss with known boundaries."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError, FormatError
from caesura.segmenters.sound import Recording, SpectralChange, read_wav
from caesura.segmenters.text.baselines import Uniform

wavfile = pytest.importorskip("scipy.io.wavfile")
FORMANTS = {"a": (730, 1090, 2440), "i": (270, 2290, 3010), "u": (300, 870, 2240), "e": (530, 1840, 2480)}


def talk(seed: int = 3, phones: int = 30, rate: int = 16000) -> tuple[Recording, list[float]]:
    random = np.random.default_rng(seed)
    parts, names = [], []
    for _ in range(phones):
        name = str(random.choice([n for n in (*FORMANTS, "s") if n != (names or [""])[-1]]))
        size = int(random.uniform(0.06, 0.14) * rate)
        time = np.arange(size) / rate
        if name == "s":
            sound = 0.1 * np.diff(random.normal(size=size + 1))
        else:
            tones = 120.0 * np.arange(1, 40)
            loud = sum(1 / (1 + ((tones - f) / 80) ** 2) for f in FORMANTS[name])
            sound = 0.15 * (loud[:, None] * np.sin(2 * np.pi * tones[:, None] * time)).sum(axis=0)
        parts.append(sound)
        names.append(name)
    ends = np.cumsum([len(p) for p in parts]) / rate
    return Recording(np.concatenate(parts) + random.normal(size=int(ends[-1] * rate)) * 5e-4, rate), ends[:-1].tolist()


def test_spectral_change_finds_phone_boundaries() -> None:
    sound, truth = talk()
    placed = SpectralChange(threshold=0.8).segment(sound)
    scores = cs.region_scores(truth, placed.positions, 0.02)
    assert scores.r_value > 0.9
    assert placed.length == sound.duration


def test_spectral_change_beats_uniform_boundaries() -> None:
    sound, truth = talk(5)
    spectral = cs.region_scores(truth, SpectralChange(threshold=0.8).segment(sound).positions)
    uniform = cs.region_scores(truth, Uniform(sound.duration / (len(truth) + 1)).segment(sound).positions)
    assert spectral.r_value > uniform.r_value + 0.2


def test_lower_threshold_gives_more_boundaries() -> None:
    sound, _ = talk()
    numbers = [len(SpectralChange(threshold=t).segment(sound).positions) for t in (0.0, 0.5, 1.5, 99.0)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] > numbers[2] > numbers[3] == 0


def test_loudness_does_not_matter() -> None:
    sound, _ = talk()
    louder = Recording(sound.samples * 0.1, sound.rate)
    np.testing.assert_array_equal(SpectralChange().segment(sound).positions, SpectralChange().segment(louder).positions)


def test_given_number_of_segments_takes_the_best_peaks() -> None:
    sound, _ = talk()
    times, scores = SpectralChange().candidates(sound)
    best = SpectralChange().segment(sound, segments=6)
    assert best.positions.tolist() == sorted(times[np.argsort(-scores)[:5]].tolist())
    with pytest.raises(CaesuraError, match=f"expected 1 to {len(times) + 1}"):
        SpectralChange().segment(sound, segments=len(times) + 2)


@pytest.mark.parametrize("samples", [np.zeros(16000), np.zeros(10), np.full(8000, 0.3)])
def test_silence_and_short_sounds_have_no_boundary(samples) -> None:
    assert len(SpectralChange().segment(Recording(samples, 16000)).positions) <= 1


def test_uniform_boundaries_are_equally_spaced() -> None:
    assert Uniform(0.25).segment(1.0).positions.tolist() == [0.25, 0.5, 0.75]
    assert Uniform(0.3).segment(0.2).positions.tolist() == []
    assert Uniform().segment(1.0, segments=4).positions.tolist() == [0.25, 0.5, 0.75]


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32])
def test_wav_files_of_every_sample_format(tmp_path, kind) -> None:
    wave = 0.5 * np.sin(2 * np.pi * 220 * np.arange(4000) / 8000)
    scaled = {np.uint8: wave * 127 + 128, np.int16: wave * 32767, np.int32: wave * (2**31 - 1), np.float32: wave}[kind]
    wavfile.write(tmp_path / "a.wav", 8000, scaled.astype(kind))
    read = read_wav(tmp_path / "a.wav")
    assert (read.rate, read.duration, read.name) == (8000, 0.5, "a")
    np.testing.assert_allclose(read.samples, wave, atol=0.02)


def test_channel_is_chosen_or_averaged(tmp_path) -> None:
    both = np.stack((np.full(100, 0.5), np.full(100, -0.25)), axis=1).astype(np.float32)
    wavfile.write(tmp_path / "a.wav", 8000, both)
    assert read_wav(tmp_path / "a.wav").samples[0] == 0.125
    assert read_wav(tmp_path / "a.wav", channel=2).samples[0] == -0.25
    with pytest.raises(FormatError, match="no channel 3; the file has 2"):
        read_wav(tmp_path / "a.wav", channel=3)


def test_files_without_sound_raise_an_error(tmp_path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        read_wav(tmp_path / "none.wav")
    for content in (b"", b"hello", b"RIFF\x24\x00\x00\x00WAVEfmt ", b"ID3\x03mp3"):
        (tmp_path / "a.wav").write_bytes(content)
        with pytest.raises(FormatError, match=r"WAV|the file is empty"):
            read_wav(tmp_path / "a.wav")


def test_bad_parameters_raise_an_error() -> None:
    for make in (lambda: Uniform(0.0), lambda: SpectralChange(step=-1.0), lambda: SpectralChange(bands=1)):
        with pytest.raises(CaesuraError, match="expected"):
            make()


def test_sound_files_are_read_in_parts_and_give_the_same_boundaries(tmp_path, monkeypatch) -> None:
    from caesura.segmenters import sound

    soundfile = pytest.importorskip("soundfile")
    random = np.random.default_rng(3)
    parts = [random.normal(0, 0.1, 4000) * np.sin(np.arange(4000) * k / 7) for k in range(1, 9)]
    samples = np.concatenate(parts).clip(-0.99, 0.99)
    whole = sound.Recording(np.rint(samples * 32767) / 32768, 16000, "x")
    monkeypatch.setattr(sound, "_FRAMES", 70)
    for suffix in ("wav", "flac"):
        soundfile.write(tmp_path / f"x.{suffix}", (np.rint(samples * 32767)).astype(np.int16), 16000)
        opened = sound.open_sound(tmp_path / f"x.{suffix}")
        assert opened.duration == whole.duration
        ours, theirs = sound.SpectralChange().segment(opened), sound.SpectralChange().segment(whole)
        np.testing.assert_array_equal(ours.positions, theirs.positions)
        assert len(ours.positions) > 3
    stereo = np.stack((samples, np.zeros_like(samples)), axis=1)
    soundfile.write(tmp_path / "two.flac", stereo, 16000)
    assert not sound.open_sound(tmp_path / "two.flac", channel=2).read(0, 100).any()
    with pytest.raises(cs.CaesuraError, match="there is no channel 3; the file has 2"):
        sound.open_sound(tmp_path / "two.flac", channel=3)
    (tmp_path / "bad.flac").write_bytes(b"not sound at all")
    with pytest.raises(cs.CaesuraError, match="not a readable sound file"):
        sound.open_sound(tmp_path / "bad.flac")


def test_features_of_your_own() -> None:
    from caesura.segmenters.sound import Recording, SpectralChange

    recording = Recording(np.zeros(16000), 16000, "silence")
    rows = np.repeat([[0.0, 1.0], [5.0, 0.0], [0.0, 3.0]], [60, 70, 70], axis=0)
    found = SpectralChange(features=lambda sound: rows).segment(recording)
    np.testing.assert_allclose(found.positions, [0.3, 0.65], atol=0.02)
    with pytest.raises(cs.CaesuraError, match="expected finite numbers, a row per frame"):
        SpectralChange(features=lambda sound: [1.0]).segment(recording)
    with pytest.raises(cs.CaesuraError, match="features="):
        SpectralChange(features="nowhere.at_all:f")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.wav", {"subtype": "ULAW"}),
        ("a.wav", {"subtype": "ALAW"}),
        ("a.au", {"subtype": "ULAW"}),
        ("a.sph", {"subtype": "ULAW", "format": "NIST"}),
        ("a.flac", {}),
        ("a.ogg", {}),
        ("a.mp3", {}),
        ("A.WAV", {}),
    ],
)
def test_every_sound_format_goes_where_wav_goes(tmp_path, name, options) -> None:
    soundfile = pytest.importorskip("soundfile")
    sound, truth = talk(phones=12)
    soundfile.write(tmp_path / name, sound.samples / 8, sound.rate, **options)
    assert read_wav(tmp_path / name).duration == pytest.approx(sound.duration, abs=0.1)  # MP3 adds some samples
    found = cs.segment(tmp_path / name, "spectral", threshold=0.8)
    assert cs.region_scores(truth, found.positions, 0.03).r_value > 0.7


# ---------------------------------------------------------------------- encoders in ONNX files


def tones(rate: int = 16_000, seconds: float = 2.0) -> Recording:
    """Tones of half a second each, so that the only changes are at 0.5, 1.0 and 1.5 s."""
    time = np.arange(round(seconds * rate)) / rate
    hertz = np.array([400, 1500, 700, 2500])[(time / 0.5).astype(int) % 4]
    return Recording(0.3 * np.sin(2 * np.pi * np.cumsum(hertz) / rate), rate)


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("onnxruntime")
    from segmenters.onnx_models import encoder

    path = tmp_path / "encoder.onnx"
    path.write_bytes(encoder())
    return path


def test_features_of_an_onnx_model(model) -> None:
    segmenter = SpectralChange(features=str(model))
    assert segmenter.step == pytest.approx(0.02)  # of the model, not of mel bands
    assert segmenter.frame == pytest.approx(0.025)
    for rate in (16_000, 22_050, 8_000):  # resampled to the rate of the model
        found = segmenter.segment(tones(rate), segments=4)
        np.testing.assert_allclose(found.positions, [0.5, 1.0, 1.5], atol=0.02)
    assert SpectralChange(features=f"{model}#frames", step=0.01).step == 0.01  # what was given stays


def test_outputs_of_models_that_convolve_over_dimensions(model) -> None:
    from caesura.segmenters.encoders import OnnxEncoder

    class Session:
        def run(self, *given):
            return [each[:, None] for each in inner.run(*given)]  # (1, 1, frames, dimensions)

    encode, sound = OnnxEncoder(model), tones()
    expected, inner = encode(sound), encode._session
    encode._session = Session()
    np.testing.assert_array_equal(encode(sound), expected)


def test_long_recordings_are_encoded_in_parts(model) -> None:
    from caesura.segmenters.encoders import OnnxEncoder

    encode = OnnxEncoder(model, normalize=False)
    sound = tones(seconds=75.0)
    frames = encode(sound)
    assert len(frames) == (sound.size - 400) // 320 + 1
    whole = encode._run(sound.samples)
    np.testing.assert_allclose(frames, whole, atol=1e-4)  # as if it were encoded at once
    assert len(encode(Recording(np.zeros(100), 16_000))) == 0


def test_models_that_do_not_fit_are_refused(model, tmp_path) -> None:
    from caesura.segmenters.encoders import OnnxEncoder

    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(model.read_bytes()[:200])
    with pytest.raises(cs.CaesuraError, match="not a readable ONNX model"):
        OnnxEncoder(damaged)
    with pytest.raises(cs.CaesuraError, match="there is no output 'layer6'; the model has frames"):
        SpectralChange(features=f"{model}#layer6")
    with pytest.raises(cs.CaesuraError, match="no such file"):
        SpectralChange(features="nowhere.onnx")


def test_all_formats_of_soundfile_are_sound(tmp_path) -> None:
    soundfile = pytest.importorskip("soundfile")
    sound, _ = talk(phones=4)
    found = {}
    for name in set(soundfile.available_formats()) - {"RAW"}:  # samples without a header
        path = tmp_path / f"x.{name.lower()}"
        soundfile.write(path, sound.samples / 8, sound.rate, format=name)
        found[name] = cs.segment(path)
    assert len(found) > 20
    same = [name for name, marks in found.items() if marks == found["WAV"]]
    assert {"FLAC", "AIFF", "MAT5", "SD2"} <= set(same)
    # XI and WVE do not store the rate
    assert all(
        m.length == pytest.approx(found["WAV"].length, rel=0.2) for n, m in found.items() if n not in ("XI", "WVE")
    ), found


class Pipe(io.RawIOBase):
    """A stream in which one cannot go back."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, place) -> int:
        return self.content.readinto(place)


@pytest.mark.parametrize("suffix", ["wav", "flac", "mp3", "voc"])
def test_open_files_and_streams_are_sound(tmp_path, suffix: str) -> None:
    soundfile = pytest.importorskip("soundfile")
    sound, _ = talk(phones=8)
    path = tmp_path / f"x.{suffix}"
    soundfile.write(path, sound.samples / 8, sound.rate)
    expected = cs.segment(path)
    with path.open("rb") as file:
        assert cs.segment(file) == expected
    assert cs.segment(io.BytesIO(path.read_bytes())) == cs.segment(Pipe(path.read_bytes())) == expected
    done = subprocess.run(
        [sys.executable, "-m", "caesura", "segment", "-", "--json"], input=path.read_bytes(), capture_output=True
    )
    assert len(json.loads(done.stdout)["stdin"]["boundaries"]) == len(expected.positions)
    done = subprocess.run([sys.executable, "-m", "caesura", "segment", "-"], input=b"no sound", capture_output=True)
    assert done.returncode == 2
    assert b"stdin: not a readable sound file" in done.stderr
