"""A process of its own that reads a recording once: what a hostile file does to a decoder, it does here, under limits of memory and time."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from caesura.errors import CaesuraError
from caesura.web.sound.decoding import Sound, SoundLimits
from caesura.web.sound.views import survey

_MEMORY = 3 * 2**30  # of addresses, of which libraries reserve far more than they use


def main(words: list[str]) -> None:
    """``prepare SOUND WAVES TONES LIMITS SECONDS``: writes two files, and tells what the recording is."""
    sound, waves, tones, limits, seconds = words
    _bound(int(seconds))
    try:
        with Sound(Path(sound), SoundLimits(**json.loads(limits))) as opened:
            answer = asdict(survey(opened, Path(waves), Path(tones)))
    except CaesuraError as fault:
        answer = {"error": str(fault)}
    except MemoryError:
        answer = {"error": "it takes more memory than there is for one recording."}
    print(json.dumps(answer))


def _bound(seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows knows no such limits; the time is watched from outside
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
