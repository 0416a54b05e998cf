"""Diarization by speaker: whom each reference speaker was taken for, and how much of the time was missed or attributed to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import import_extra
from caesura.metrics.diarization import Diarization, SpeakerRow
from caesura.statistics.counted import CountedPairs


@dataclass(frozen=True, repr=False)
class SpeakerGroups(Result):
    """The speakers of all recordings, with their partners in one system.

    Attributes
    ----------
    rows : tuple of SpeakerRow
        One per reference speaker and recording.
    system : str
        The name of the system.
    """

    rows: tuple[SpeakerRow, ...]
    system: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per speaker: seconds of speech, missed and wrong ones, and the Jaccard error."""
        return [row._asdict() for row in self.rows]

    def tables(self) -> list[Table]:
        """Return a table with a row per speaker."""
        several = len({row.recording for row in self.rows}) > 1
        rows = tuple(
            (
                *((row.recording,) if several else ()),
                row.speaker,
                row.partner,
                *(Rounded(value, 2) for value in (row.speech, row.missed, row.wrong, row.extra)),
                row.jaccard_error,
            )
            for row in self.rows
        )
        heads = ("speaker", "partner", "speech, s", "missed, s", "wrong, s", "extra, s", "Jaccard error ↓")
        notes = (
            "missed: nobody talks in the hypothesis; wrong: others than the partner talk; extra: the partner talks and the speaker does not.",
        )
        of = f" ({self.system})" if self.system else ""
        return [Table(f"by speaker{of}", (*(("recording",) if several else ()), *heads), rows, notes)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"by": "speaker", "system": self.system, "speakers": self.records()}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row per speaker."""
        return import_extra("pandas", "", "a table as a pandas DataFrame").DataFrame(self.records())


def speaker_groups(counted: CountedPairs, family: Diarization, *, system: str = "") -> SpeakerGroups:
    """List every reference speaker of every recording.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with turns on both sides, as ``evaluation.counted["system"]``.
    family : Diarization
        The conventions.
    system : str, default ""
        The name of the system, for captions.

    Returns
    -------
    SpeakerGroups
        Speakers in order of recordings and names.
    """
    return SpeakerGroups(tuple(family.speaker_rows(family.prepare(counted.batch))), system)
