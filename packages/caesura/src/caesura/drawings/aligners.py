"""Drawings of aligners: shares within every tolerance, histograms of errors, and bias and quartiles, over all phones or by phone or class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import clean, clip, name_column
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, PanelPicture, Plot, PlotPicture, Scale, axis_labels
from caesura.display.scene import (
    Axis,
    Baseline,
    IntervalLine,
    Marker,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    Shape,
    Tick,
)
from caesura.drawings.against_reference import pair_with_reference
from caesura.metrics import metric
from caesura.model import Corpus
from caesura.model.pairs import Pairs
from caesura.statistics.counted import CountedPairs
from caesura.statistics.interval_groups import GroupErrors, error_groups

_SIGNS = "●○▲△■□◆◇"
_WIDEST = 100.0  # ms
_MOST_PANELS = 12
_MOST_ROWS = 40  # groups of a drawing of quartiles

#: Group of intervals -> system -> its errors.
ErrorsByGroup = Mapping[str, Mapping[str, GroupErrors]]


# ---------------------------------------------------------------------- by name, from a corpus


def draw_tolerance_curves(corpus: Corpus, *, by: str = "", mapping: Any = "", reference: str = "") -> Picture:
    """Draw the share of onsets within every tolerance; the reference is the first coder unless it is named, ``by`` is phone, pair or class=FILE."""
    errors = errors_of_coders(corpus, by, mapping, reference)
    if by:
        return GroupToleranceCurves(errors)
    ((_, of_systems),) = errors.items()
    return ToleranceCurves({name: each.shares_within(int(_WIDEST)) for name, each in of_systems.items()})


def draw_error_histograms(corpus: Corpus, *, by: str = "", mapping: Any = "", reference: str = "") -> Picture:
    """Draw histograms of onset errors; the reference is the first coder unless it is named, ``by`` is phone, pair or class=FILE."""
    errors = errors_of_coders(corpus, by, mapping, reference)
    if by:
        return GroupErrorHistograms(errors)
    ((_, of_systems),) = errors.items()
    return ErrorHistograms({name: each.onset for name, each in of_systems.items()})


def draw_error_quartiles(corpus: Corpus, *, by: str = "phone", mapping: Any = "", reference: str = "") -> Picture:
    """Draw bias and quartiles of onset errors by phone, pair or class=FILE; the reference is the first coder unless it is named."""
    return ErrorQuartiles(errors_of_coders(corpus, by, mapping, reference), by.partition("=")[0])


def errors_of_coders(
    corpus: Corpus, by: str, mapping: Any = "", reference: str = ""
) -> dict[str, dict[str, GroupErrors]]:
    """Pair the intervals of every other coder with those of the reference, and group their errors; without ``by`` the group is "all".

    Groups below 5 intervals are put together, unless all are that small, as in a single recording.
    """
    measure = metric("onset-bias", mapping=mapping)
    found = dict[str, dict[str, GroupErrors]]()
    pairs = {c: CountedPairs(Pairs.between(ours, theirs)) for c, ours, theirs in pair_with_reference(corpus, reference)}
    for least in (5, 1):
        found = {}
        for coder, counted in pairs.items():
            for group, errors in error_groups(counted, by or "all", measure, least=least).items():
                found.setdefault(group, {})[coder] = errors
        if len(found) > 1 or not by:
            break
    return found


# ---------------------------------------------------------------------- curves


def _curve(points: Sequence[tuple[float, float]], number: int, name: str) -> Curve:
    stroke: Literal["plain", "broken"] = "broken" if number % 2 else "plain"  # not by colour alone
    return Curve(tuple(points), SERIES[number % len(SERIES)], name, _SIGNS[number % len(_SIGNS)], stroke)


def _tolerance_curve(shares: NDArray[np.float64], number: int, name: str) -> Curve:
    return _curve([(0.0, 0.0), *((float(ms), float(share)) for ms, share in enumerate(shares, 1))], number, name)


_TOLERANCES = Scale("tolerance, ms", 0.0, _WIDEST, (0, 20, 40, 60, 80, 100))
_SHARES = Scale("share", 0.0, 1.0, (0, 0.25, 0.5, 0.75, 1))


@dataclass(frozen=True)
class ToleranceCurves(PlotPicture):
    """The share of reference intervals whose start is off by at most so many ms, for every system.

    Attributes
    ----------
    shares : mapping of str to ndarray
        System -> shares within 1, 2 … 100 ms.
    intervals : mapping of str to ndarray
        System -> the lower and the upper ends of the shares' intervals, in two rows; they are drawn as thin lines in SVG.
    """

    shares: Mapping[str, NDArray[np.float64]]
    intervals: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it shows."""
        return "share of onsets within a tolerance"

    def plot(self) -> Plot:
        """Return one curve per system, and the ends of its interval."""
        curves = [_tolerance_curve(shares, number, name) for number, (name, shares) in enumerate(self.shares.items())]
        for number, name in enumerate(self.shares):
            for ends in self.intervals.get(name, ()):
                points = tuple((float(ms), float(end)) for ms, end in enumerate(ends, 1))
                curves.append(Curve(points, SERIES[number % len(SERIES)], stroke="thin"))
        at_20 = "; ".join(f"{name} {float(shares[19]):.3f}" for name, shares in self.shares.items())
        return Plot(
            self.title,
            f"Share of reference intervals whose start is off by at most so many milliseconds. Within 20 ms: {at_20}.",
            _TOLERANCES,
            _SHARES,
            tuple(curves),
            (),
        )


@dataclass(frozen=True)
class GroupToleranceCurves(PanelPicture):
    """Tolerance curves of every phone or class, one panel each.

    Attributes
    ----------
    errors : mapping of str to mapping
        Group -> system -> errors.
    """

    errors: ErrorsByGroup

    @property
    def title(self) -> str:
        """What it shows."""
        return _panel_title("share of onsets within a tolerance", self.errors)

    def plots(self) -> Sequence[Plot]:
        """Return a panel per group, the largest groups first."""
        systems = _systems(self.errors)
        return [
            Plot(
                f"{group or '∅'}, n = {_size(of_systems)}",
                "; ".join(
                    f"{name} {float(each.shares_within(20)[-1]):.3f} within 20 ms" for name, each in of_systems.items()
                )
                + ".",
                _TOLERANCES,
                _SHARES,
                tuple(
                    _tolerance_curve(of_systems[name].shares_within(int(_WIDEST)), number, name)
                    for number, name in enumerate(systems)
                    if name in of_systems
                ),
                (),
            )
            for group, of_systems in list(self.errors.items())[:_MOST_PANELS]
        ]


# ---------------------------------------------------------------------- histograms

_BINS = np.arange(-_WIDEST - 2.5, _WIDEST + 3, 5.0)
_ERRORS = Scale("onset error, ms", -_WIDEST, _WIDEST, (-100, -50, 0, 50, 100))


def _histogram(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.histogram(errors, _BINS)[0] / max(len(errors), 1)


def _share_scale(histograms: Sequence[NDArray[np.float64]]) -> Scale:
    highest = max((float(each.max(initial=0.0)) for each in histograms), default=0.0)
    top = max(0.05, float(np.ceil(highest * 20) / 20))
    return Scale("share", 0.0, top, tuple(number for number, _ in axis_labels(0.0, top, 5)))


def _histogram_curve(share: NDArray[np.float64], number: int, name: str) -> Curve:
    middle = (_BINS[1:] + _BINS[:-1]) / 2
    return _curve(list(zip(middle.tolist(), share.tolist(), strict=True)), number, name)


@dataclass(frozen=True)
class ErrorHistograms(PlotPicture):
    """Histograms of signed onset errors, one curve per system; above 0 the system is late.

    Attributes
    ----------
    errors : mapping of str to ndarray
        System -> onset errors in ms.
    """

    errors: Mapping[str, NDArray[np.float64]]

    @property
    def title(self) -> str:
        """What it shows."""
        return "onset errors, share per 5 ms"

    def plot(self) -> Plot:
        """Return one curve per system, with bins of 5 ms."""
        histograms = {name: _histogram(errors) for name, errors in self.errors.items()}
        told = "; ".join(f"{name}: median {np.median(e):.1f} ms" for name, e in self.errors.items() if len(e))
        return Plot(
            self.title,
            f"Above 0 the system is late. {told}.",
            _ERRORS,
            _share_scale(list(histograms.values())),
            tuple(_histogram_curve(share, number, name) for number, (name, share) in enumerate(histograms.items())),
            (),
        )


@dataclass(frozen=True)
class GroupErrorHistograms(PanelPicture):
    """Histograms of the onset errors of every phone or class, one panel each.

    Attributes
    ----------
    errors : mapping of str to mapping
        Group -> system -> errors.
    """

    errors: ErrorsByGroup

    @property
    def title(self) -> str:
        """What it shows."""
        return _panel_title("onset errors, share per 5 ms, above 0 late", self.errors)

    def plots(self) -> Sequence[Plot]:
        """Return a panel per group, the largest groups first."""
        shown = dict(list(self.errors.items())[:_MOST_PANELS])
        systems = _systems(shown)
        histograms = {
            (group, name): _histogram(each.onset)
            for group, of_systems in shown.items()
            for name, each in of_systems.items()
        }
        scale = _share_scale(list(histograms.values()))
        return [
            Plot(
                f"{group or '∅'}, n = {_size(of_systems)}",
                "; ".join(f"{n}: median {np.median(e.onset):.1f} ms" for n, e in of_systems.items() if len(e.onset))
                + ".",
                _ERRORS,
                scale,
                tuple(
                    _histogram_curve(histograms[group, name], number, name)
                    for number, name in enumerate(systems)
                    if name in of_systems
                ),
                (),
            )
            for group, of_systems in shown.items()
        ]


def _systems(errors: ErrorsByGroup) -> list[str]:
    return list(dict.fromkeys(name for of_systems in errors.values() for name in of_systems))


def _size(of_systems: Mapping[str, GroupErrors]) -> int:
    return max((each.intervals for each in of_systems.values()), default=0)


def _panel_title(what: str, errors: ErrorsByGroup) -> str:
    left = len(errors) - _MOST_PANELS
    return what + (f", the {_MOST_PANELS} largest of {len(errors)} groups" if left > 0 else "")


# ---------------------------------------------------------------------- quartiles


@dataclass(frozen=True)
class ErrorQuartiles(ScenePicture):
    """Bias and quartiles of signed onset errors, a row per phone or class and system; above 0 the system is late.

    Attributes
    ----------
    errors : mapping of str to mapping
        Group -> system -> errors.
    by : str
        What the groups are: "phone", "class" or "pair"; "" if there is one only.
    """

    errors: ErrorsByGroup
    by: str = "phone"

    @property
    def title(self) -> str:
        """What it shows."""
        return f"onset errors{f' by {self.by}' if self.by else ''}, ms: quartiles and bias"

    def _rows_of_groups(self) -> list[tuple[str, str, GroupErrors]]:
        """Return group, system and errors of every row, the largest groups first."""
        return [
            (group, name, each)
            for group, of_systems in list(self.errors.items())[:_MOST_ROWS]
            for name, each in of_systems.items()
        ]

    def _range(self) -> tuple[float, float]:
        """Return the axis in ms: all quartiles and biases, and 0."""
        known = [
            value
            for _, _, each in self._rows_of_groups()
            for value in (*each.quartiles, each.bias)
            if np.isfinite(value)
        ]
        low, high = min([-5.0, *known]), max([5.0, *known])
        return low - 0.05 * (high - low), high + 0.05 * (high - low)

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out a line from the first to the third quartile, a dot at the median and a cross at the mean of every row."""
        rows, systems = self._rows_of_groups(), _systems(self.errors)
        names = [self._name(group, name, systems) for group, name, _ in rows]
        margin = name_column(names, width, fine=fine) + 2
        available = max(10, width - margin - 9)
        left = len(self.errors) - _MOST_ROWS
        return Scene(
            title=self.title,
            description=self._description(),
            heading=self.title if len(self.title) <= width else self.title.removesuffix(": quartiles and bias"),
            key="━ first to third quartile · ● median · × mean (bias) · above 0: late",
            width=width,
            margin=margin,
            rows=(0.9, *(1.0 for _ in rows)),
            blocks=(tuple(self._shapes(rows, names, systems, available, fine=fine)),),
            notes=((f"… and {left} smaller groups", "faint"),) if left > 0 else (),
        )

    def _name(self, group: str, system: str, systems: Sequence[str]) -> str:
        if len(systems) == 1:
            return clean(group) or "∅"
        return f"{clean(group) or '∅'} {clean(system)}"

    def _shapes(
        self,
        rows: Sequence[tuple[str, str, GroupErrors]],
        names: Sequence[str],
        systems: Sequence[str],
        available: int,
        *,
        fine: bool,
    ) -> Iterator[Shape]:
        low, high = self._range()

        def at(value: float) -> float:
            return (value - low) / (high - low) * (available - 1)

        labels = axis_labels(low, high, max(2, available // (9 if fine else 12)))
        yield Axis(0, numbers=tuple((at(value), words) for value, words in labels), rows=len(rows))
        if fine:
            yield Tick(1, at(0.0), role="grid", rows=len(rows))
        for row, ((group, system, errors), name) in enumerate(zip(rows, names, strict=True), 1):
            role, tip = SERIES[systems.index(system) % len(SERIES)], self._tip(group, system, errors)
            yield Name(row, words=name, role=role if len(systems) > 1 else "ink")
            yield Baseline(row, width=available, thin=True)
            if not len(errors.onset):
                yield Number(row, available + 1, words="–".rjust(7))
                continue
            first, median, third = errors.quartiles
            yield IntervalLine(row, at(first), at(third) - at(first), role=role, tip=tip)
            yield Marker(row, at(median), 0, "●", role, tip)
            yield Marker(row, at(errors.bias), 0, "×", "ink", tip)
            yield Number(row, available + 1, words=f"{errors.bias:+.1f}".rjust(7), role=role)

    def _tip(self, group: str, system: str, errors: GroupErrors) -> str:
        if not len(errors.onset):
            return f"{group} ({system}): {errors.intervals} intervals, none has a partner"
        first, median, third = errors.quartiles
        return (
            f"{group} ({system}): bias {errors.bias:+.1f} ms, quartiles {first:+.1f}, {median:+.1f} and {third:+.1f} ms, "
            f"{len(errors.onset)} of {errors.intervals} intervals"
        )

    def _description(self) -> str:
        listed = [self._tip(*row) for row in self._rows_of_groups()]
        return clip("; ".join(listed), 4000) + ". Above 0 the system is late."
