"""Recordings: upload, tiles, ranges, zero crossings, segmenters and permissions."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")
pytest.importorskip("soundfile", reason="recordings are read by the extra speech")

import soundfile
from fastapi.testclient import TestClient

from caesura_workbench.settings import Settings
from caesura_workbench.sound.decoding import Sound, SoundError
from caesura_workbench.sound.tiles import ROWS, RecordingInfo, analyze, spectrogram_tile, waveform_tile, zero_crossing

RATE = 8000


def tone(seconds: float = 2.0, hertz: float = 440.0, rate: int = RATE) -> Any:
    """Return silence followed by a tone."""
    time = np.arange(round(seconds * rate)) / rate
    return np.where(time < seconds / 2, 0.0, 0.5 * np.sin(2 * np.pi * hertz * time))


def encoded(samples: Any, kind: str = "WAV", rate: int = RATE, **how: Any) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=kind, **how)
    return file.getvalue()


def upload(client: TestClient, project: int, name: str, content: bytes) -> Any:
    return client.post(f"/api/projects/{project}/recordings", params={"name": name}, content=content)


@pytest.fixture
def speech(client: TestClient) -> int:
    return int(client.post("/api/projects", json={"name": "speech"}).json()["id"])


def leftover_files(settings: Settings) -> list[Path]:
    return list(settings.sound_folder.glob("*")) if settings.sound_folder.exists() else []


# ---------------------------------------------------------------------- taken in


@pytest.mark.parametrize(("kind", "media"), [("WAV", "audio/wav"), ("FLAC", "audio/flac"), ("MP3", "audio/mpeg"), ("OGG", "audio/ogg")])  # fmt: skip
def test_recording_becomes_an_item_without_annotations(client: TestClient, speech: int, kind: str, media: str) -> None:
    answer = upload(client, speech, f"talk.{kind.lower()}", encoded(tone(), kind))
    assert answer.status_code == 201, answer.text
    (item,) = answer.json()["items"]
    assert answer.json()["duration"] == pytest.approx(2.0, abs=0.1)
    facts = client.get(f"/api/items/{item}/recording").json()["recording"]
    assert (facts["media"], facts["rate"], facts["channels"]) == (media, RATE, 1)
    assert "spectral" in facts["segmenters"]
    started = client.post(
        f"/api/items/{item}/annotations", json={"coder": "ann", "role": "coder", "empty": True}
    ).json()
    named = {"kind": "rename", "segment": 1, "name": "silence"}
    for operation in ({"kind": "add", "position": 1.0}, named):
        answer = client.patch(
            f"/api/annotations/{started['id']}", json={"version": started["version"], "operation": operation}
        )
        assert answer.status_code == 200, answer.text
        started = answer.json()
    assert started["marks"]["names"] == ["silence", ""]
    assert client.get(f"/api/projects/{speech}").json()["coders"] == ["ann"], "who annotates here is a coder"


def test_annotations_and_recordings_are_matched_by_name(client: TestClient, speech: int) -> None:
    rows = "item,coder,track,length,time\ntalk,ann,words,2,1.0\ntalk,ben,phones,2,1.5\n"
    (waiting,) = upload(client, speech, "talk.wav", encoded(tone(2.004))).json()["items"]
    client.post(f"/api/projects/{speech}/files", files=[("files", ("talk.csv", rows))])
    items = client.get(f"/api/projects/{speech}").json()["items"]
    assert [(item["track"], item["length"]) for item in items] == [("words", 2.0), ("phones", 2.0)]
    assert items[0]["id"] == waiting, "the first stands on the recording that was there"
    assert all(client.get(f"/api/items/{item['id']}/recording").json()["recording"] for item in items)
    beside = client.get(f"/api/items/{waiting}/tiers", params={"first": 0, "last": 1}).json()
    assert [(tier["item"], tier["track"]) for tier in beside] == [(items[1]["id"], "phones")]
    assert beside[0]["annotation"]["coder"] == "ben"
    assert beside[0]["annotation"]["marks"]["positions"] == [1.5], "whole segments"
    other = encoded(tone(2.0, 300.0))
    assert len(upload(client, speech, "talk.wav", other).json()["items"]) == 2, "a second one takes its place"
    assert client.get(f"/api/items/{waiting}/recording/sound").content == other
    assert "s long, but item" in upload(client, speech, "talk.wav", encoded(tone(9.0))).json()["error"]


def test_recordings_are_deleted_and_restored_with_items(client: TestClient, speech: int, settings: Settings) -> None:
    content = encoded(tone())
    (item,) = upload(client, speech, "talk.wav", content).json()["items"]
    client.delete(f"/api/items/{item}")
    assert client.get(f"/api/items/{item}/recording/sound").status_code == 404
    client.post(f"/api/items/{item}/restore")
    assert client.get(f"/api/items/{item}/recording/sound").content == content
    for path in settings.sound_folder.glob("*.waves"):
        path.unlink()
    assert client.get(f"/api/items/{item}/recording/waves/3/0").status_code == 200, "pictures are made anew"
    client.delete(f"/api/projects/{speech}", params={"forever": True})
    assert not leftover_files(settings), "erased for good"


def _malicious_file() -> dict[str, tuple[bytes, str]]:
    whole = encoded(tone())
    flac = encoded(tone(20.0), "FLAC")
    claims = bytearray(whole)
    claims[24:28] = struct.pack("<I", 384_000)
    many = bytearray(encoded(np.zeros((100, 32)), "WAV"))
    return {
        "nothing": (b"", "it is empty"),
        "text": (b"so twice five miles", "not a sound file"),
        "cut": (whole[: len(whole) // 2], "it is truncated"),
        "no sound": (encoded(np.zeros(0)), "it contains no sound"),
        "header only": (whole[:20], "truncated"),
        "rate": (bytes(claims), "384,000 samples per second"),
        "channels": (bytes(many), "32 channels"),
        "cut flac": (flac[: len(flac) // 3], "truncated|damaged"),
        "long": (
            flac[:21] + bytes([flac[21] | 0x0F, 255, 255, 255, 255]) + flac[26:],
            "longer than the limit of 4 hours",
        ),
        "noise": (b"OggS" + bytes(range(256)) * 40, "cannot be decoded"),
        "aiff": (encoded(tone(), "AIFF"), "not a sound file"),
    }


@pytest.mark.parametrize("case", list(_malicious_file()))
def test_invalid_recordings_are_rejected(tmp_path: Path, case: str) -> None:
    content, why = _malicious_file()[case]
    path = tmp_path / "odd.wav"
    path.write_bytes(content)
    with pytest.raises(SoundError, match=why), Sound(path) as opened:
        analyze(opened, tmp_path / "waves", tmp_path / "tones")


def test_failed_uploads_leave_no_files(client: TestClient, speech: int, settings: Settings) -> None:
    content, _ = _malicious_file()["cut flac"]
    answer = upload(client, speech, "odd.flac", content)
    assert (answer.status_code, answer.json()["error"][:10]) == (400, "odd.flac: ")
    assert not leftover_files(settings)
    assert not client.get(f"/api/projects/{speech}").json()["items"]


# ---------------------------------------------------------------------- seen and heard


def test_sound_supports_range_requests(client: TestClient, speech: int) -> None:
    content = encoded(tone())
    (item,) = upload(client, speech, "talk.wav", content).json()["items"]
    part = client.get(f"/api/items/{item}/recording/sound", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, content[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(content)}"
    assert part.headers["content-type"] == "audio/wav"
    beyond = client.get(f"/api/items/{item}/recording/sound", headers={"Range": "bytes=999999999-"})
    assert beyond.status_code == 416


def analyzed(folder: Path, samples: Any, rate: int = RATE) -> tuple[Path, Path, Path, RecordingInfo]:
    sound, waves, tones = folder / "a.wav", folder / "a.waves", folder / "a.tones"
    sound.write_bytes(encoded(samples, rate=rate, subtype="FLOAT"))
    with Sound(sound) as opened:
        return sound, waves, tones, analyze(opened, waves, tones)


def test_waveform_tiles_hold_block_minima_and_maxima(tmp_path: Path) -> None:
    samples = np.random.default_rng(1).uniform(-0.4, 0.4, 300_001)
    sound, waves, _, facts = analyzed(tmp_path, samples)
    assert facts.frames == 300_001
    for level in range(facts.wave_levels):
        block = 2 * 4**level
        tiles = -(-facts.blocks(level) // 2048)
        got = np.concatenate(
            [np.frombuffer(waveform_tile(sound, waves, facts, level, t), np.int8).reshape(-1, 2) for t in range(tiles)]
        )
        starts = np.arange(0, len(samples), block)
        for column, reduce in ((0, np.minimum), (1, np.maximum)):
            true = reduce.reduceat(samples, starts) * 127 / facts.peak
            inside = slice(None, -1)  # the last block of a fine level may hold the silence behind the end
            assert np.abs(got[inside, column] - true[inside]).max() <= 0.51, (level, column)
        assert len(got) == len(starts) == facts.blocks(level)
    assert facts.blocks(facts.wave_levels - 1) <= 2048, "the coarsest fits into a tile"


def test_spectrogram_shows_tone_at_its_frequency(tmp_path: Path) -> None:
    sound, _, tones, facts = analyzed(tmp_path, tone(40.0, 2000.0))
    for level in range(facts.tone_levels):
        seconds = facts.hop * 4**level / facts.rate
        tile, column = divmod(int(30.0 / seconds), 256)
        picture = np.frombuffer(spectrogram_tile(sound, tones, facts, level, tile), np.uint8).reshape(-1, ROWS)
        loudest = int(picture[column].argmax())
        assert abs((loudest + 0.5) * facts.top / ROWS - 2000.0) < 100, level
        assert picture[column].max() > 200, level
        tile, column = divmod(int(5.0 / seconds), 256)
        quiet = np.frombuffer(spectrogram_tile(sound, tones, facts, level, tile), np.uint8).reshape(-1, ROWS)
        assert quiet[column].max() == 0, level


def test_zero_crossing_is_interpolated(tmp_path: Path) -> None:
    sound, _, _, facts = analyzed(tmp_path, np.sin(2 * np.pi * 100.0 * (np.arange(RATE) / RATE)))
    for near in (0.1012, 0.5037, 0.7):
        assert zero_crossing(sound, facts, near) == pytest.approx(round(near * 200) / 200, abs=1e-6)
    silent, _, _, facts = analyzed(tmp_path, np.full(RATE, 0.25))
    assert zero_crossing(silent, facts, 0.3) == 0.3


def test_missing_tiles_and_recordings_return_errors(client: TestClient, speech: int, project: int) -> None:
    (item,) = upload(client, speech, "talk.wav", encoded(tone())).json()["items"]
    for where in ("waves/30/0", "waves/0/4096", "tones/9/0"):
        assert "there is no" in client.get(f"/api/items/{item}/recording/{where}").json()["error"]
    text = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    assert client.get(f"/api/items/{text}/recording").json() == {"recording": None}
    assert client.get(f"/api/items/{text}/recording/sound").status_code == 404
    assert "is a text" in upload(client, project, "kubla.wav", encoded(tone())).json()["error"]


# ---------------------------------------------------------------------- suggested


def test_sound_segmenter_suggests_boundaries(client: TestClient, speech: int) -> None:
    (item,) = upload(client, speech, "talk.wav", encoded(tone())).json()["items"]
    asked = f"/api/items/{item}/suggestions"
    found = client.post(asked, json={"segmenter": "spectral", "segments": 2}).json()
    assert found["positions"] == [pytest.approx(1.0, abs=0.02)], "where the tone begins"
    part = client.post(asked, json={"segmenter": "spectral", "segments": 2, "first": 0.6, "last": 1.6}).json()
    assert part["positions"] == [pytest.approx(1.0, abs=0.02)], "times are those of the recording"
    assert "not sound" in client.post(asked, json={"segmenter": "dcm"}).json()["error"]


def test_sound_segmenter_starts_an_annotation(client: TestClient, speech: int) -> None:
    (item,) = upload(client, speech, "talk.wav", encoded(tone(250.0))).json()["items"]
    start = {"coder": "ann", "role": "coder", "segmenter": "spectral"}
    made = client.post(f"/api/items/{item}/annotations", json=start).json()
    assert made["origin"] == "segmented by spectral"
    times = np.array(made["marks"]["positions"])
    assert np.abs(times - 125.0).min() < 0.02, "where the tone begins, in the middle of the second part"
    where = f"/api/items/{item}/annotations"
    assert (
        "number of segments cannot be set"
        in client.post(where, json={**start, "coder": "ben", "segments": 50}).json()["error"]
    )
    assert "not sound" in client.post(where, json={**start, "coder": "ben", "segmenter": "dcm"}).json()["error"]
