"""What each radius finds, and what it nominates in vain, measured on the user's own documents.

A calibration is a file that the user places: a mere name means ``NAME.ilk-calibration.json`` in the
working folder, and nothing is kept anywhere else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ilk import Recipe, __version__
from ilk.companions import errors, format_percent, parse_json, write
from ilk.plugins import OptionError
from ilk_papers.errors import CalibrationError
from ilk_papers.measure.intervals import Interval95, share_interval

#: What is added to a mere name.
SUFFIX = ".ilk-calibration.json"

_FORMAT = "ilk-calibration/1"

#: The types of plain fields of a calibration.
_FIELDS: dict[type, str] = {
    str: "recipe fingerprints",
    float: "resemblance recall",
    int: "shingle seed documents drawn_from copies related",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs by the distance of their fingerprints.

    Attributes:
        distances: pairs at every distance from 0 to the width of a fingerprint.
        without: pairs in which a text has no fingerprint; no radius finds them.
    """

    distances: tuple[int, ...]
    without: int

    @classmethod
    def from_distances(cls, distances: Iterable[int | None], bits: int) -> Sample:
        """Count distances; None for a pair without one."""
        counts = [0] * (bits + 2)
        for distance in distances:
            counts[-1 if distance is None else distance] += 1
        return cls(tuple(counts[:-1]), counts[-1])

    def __add__(self, other: Sample) -> Sample:
        """Return the pairs of both."""
        both = zip(self.distances, other.distances, strict=True)
        return Sample(tuple(a + b for a, b in both), self.without + other.without)

    @property
    def pairs(self) -> int:
        """Their number."""
        return sum(self.distances) + self.without

    def count_within(self, radius: int) -> int:
        """Return the number of pairs within a radius."""
        return sum(self.distances[: radius + 1])

    def share(self, radius: int) -> float | None:
        """Return the share of the pairs within a radius; None if there are no pairs."""
        return self.count_within(radius) / self.pairs if self.pairs else None

    def interval(self, radius: int) -> Interval95:
        """Return the 95 % interval of that share."""
        return share_interval(self.count_within(radius), self.pairs)


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Pairs that the user labelled, measured.

    Attributes:
        alike: pairs labelled as the same that resemble each other at the threshold.
        same: counts of pairs labelled as the same, by resemblance, in twentieths from 0 to 20.
        different: the same for pairs labelled as different.
        unknown: labels of documents that are not in the source.
    """

    alike: Sample
    same: tuple[int, ...]
    different: tuple[int, ...]
    unknown: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What every radius finds and nominates in vain in a source.

    Attributes:
        recipe: the recipe's string.
        resemblance, shingle: what near-duplicates are, and words per shingle.
        recall: the share of them to find.
        seed: the seed of random choices.
        documents, drawn_from: documents read, and those that could be copied.
        fingerprints: a digest of the source's fingerprints.
        copies: edited copies that were made.
        kinds: the copies that resemble their original at the threshold, by kind of edit.
        edge: those of them in the quarter of resemblances next to the threshold.
        natural: documents drawn at random, each with one of its near-duplicates in the source.
        labelled: the pairs that the user labelled; None if none were given.
        background: pairs drawn at random that do not resemble each other at the threshold.
        related: pairs drawn at random that do.
    """

    recipe: str
    resemblance: float
    shingle: int
    recall: float
    seed: int
    documents: int
    drawn_from: int
    fingerprints: str
    copies: int
    kinds: dict[str, Sample]
    edge: Sample
    natural: Sample
    labelled: LabelCounts | None
    background: Sample
    related: int

    def __repr__(self) -> str:
        """Return what was measured, and the radius that follows from it, in a few lines."""
        radius = "no radius" if self.radius is None else f"radius {self.radius}"
        documents = f"{self.documents:,} documents, {self.copies:,} edited copies"
        asked = f"{format_percent(self.recall)} at resemblance >= {self.resemblance}"
        return f"Calibration: {documents}\n  {radius} finds {asked}\n  {self.recipe}"

    @property
    def all_copies(self) -> Sample:
        """All copies that resemble their original at the threshold."""
        return sum(self.kinds.values(), Sample.from_distances([], self.bits))

    @property
    def bits(self) -> int:
        """Width of the fingerprints."""
        return len(self.background.distances) - 1

    @property
    def samples(self) -> dict[str, Sample]:
        """The pairs to find, by where they are from."""
        samples = {"edited copies": self.all_copies, "near-duplicates": self.natural}
        return samples | ({"labelled pairs": self.labelled.alike} if self.labelled else {})

    @property
    def radius(self) -> int | None:
        """The least radius that reaches the recall on each of the samples.

        None if no sample has pairs, or if no radius does, since texts lack fingerprints.
        """
        asked = [sample for sample in self.samples.values() if sample.pairs]
        least = Fraction(str(self.recall))
        for radius in range(self.bits + 1) if asked else ():
            if all(sample.count_within(radius) >= least * sample.pairs for sample in asked):
                return radius
        return None

    def table(self) -> list[dict[str, Any]]:
        """Return a row per radius: shares of all samples and of background, and 95 % intervals."""
        samples = {"planted": self.all_copies, "edge": self.edge, "natural": self.natural}
        if self.labelled is not None:
            samples["labelled"] = self.labelled.alike
        samples["background"] = self.background
        return [
            {"radius": radius}
            | {name: sample.share(radius) for name, sample in samples.items()}
            | {f"{name}_interval": sample.interval(radius) for name, sample in samples.items()}
            for radius in range(self.bits + 1)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain values, for JSON: counts, and what follows from them."""
        head = {"format": _FORMAT, "ilk": __version__}
        return head | asdict(self) | {"radius": self.radius, "table": self.table()}

    def save(self, name: str | os.PathLike[str]) -> Path:
        """Write the calibration, and return where it is.

        Args:
            name: a name, or the path of a file.

        Raises:
            OutputError: the file cannot be written.
        """
        path = calibration_path_with_suffix_unless_path(name)
        write.refuse_unwritable(path, force=True)
        with write.whole_file(path) as out:
            out.write(json.dumps(self.to_dict(), indent=1, ensure_ascii=False).encode() + b"\n")
        return path

    @classmethod
    def load(cls, name: str | os.PathLike[str]) -> Calibration:
        """Read a calibration.

        Args:
            name: a name, or the path of a file.

        Raises:
            CalibrationError: there is no calibration, or it is damaged or has another format.
        """
        path = calibration_path_with_suffix_unless_path(name)
        try:
            read = parse_json(path.read_bytes())
        except (OSError, ValueError) as error:
            is_unreadable = isinstance(error, OSError)
            reason = errors.reason_of_error(error) if is_unreadable else "it is not JSON"
            raise CalibrationError(
                f"{path} is not a calibration: {reason}. Write one with "
                "`ilk calibrate SOURCE -o NAME`."
            ) from error
        form = read.get("format") if isinstance(read, dict) else None
        if form != _FORMAT:
            raise CalibrationError(
                f"{path} has the format {form!r}; this ilk reads {_FORMAT!r}. Calibrate again."
            )
        try:
            return cls._from_values(read)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CalibrationError(
                f"{path} is damaged ({type(error).__name__}: {error}). Calibrate again."
            ) from error

    @classmethod
    def _from_values(cls, read: dict[str, Any]) -> Calibration:
        """Return the calibration from plain values."""

        def sample(values: dict[str, Any]) -> Sample:
            return Sample(tuple(map(int, values["distances"])), int(values["without"]))

        labels = read["labelled"]
        if labels is not None:
            labels = LabelCounts(
                sample(labels["alike"]),
                tuple(map(int, labels["same"])),
                tuple(map(int, labels["different"])),
                int(labels["unknown"]),
            )
        kinds = {str(kind): sample(values) for kind, values in read["kinds"].items()}
        values: dict[str, Any] = {"kinds": kinds, "labelled": labels}
        for read_as, names in _FIELDS.items():
            values |= {name: read_as(read[name]) for name in names.split()}
        values |= {name: sample(read[name]) for name in ("edge", "natural", "background")}
        calibration = cls(**values)
        compared = (*calibration.samples.values(), calibration.edge)
        if len({len(sample.distances) for sample in compared}) > 1:
            raise ValueError("it has samples of different widths")
        if calibration.radius != read["radius"]:
            raise ValueError(
                f"its counts make the radius {calibration.radius}, not {read['radius']}"
            )
        return calibration

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments of ``ilk.find`` for the radius that it recommends.

        Raises:
            CalibrationError: it recommends no radius.
        """
        if self.radius is None:
            raise CalibrationError(
                f"no radius finds {format_percent(self.recall)} of the calibration's pairs. "
                "Calibrate for a lower recall, or search exactly."
            )
        return {
            "recipe": Recipe.parse(self.recipe),
            "radius": self.radius,
            "resemblance": self.resemblance,
            "shingle": self.shingle,
        }

    @property
    def promise(self) -> str:
        """What its radius found when it was measured, in words that follow a semicolon."""
        radius, sentences = self.radius or 0, []
        for name, sample in self.samples.items():
            if sample.pairs:
                low, high = sample.interval(radius)
                share = format_percent(sample.share(radius) or 0.0)
                sentences.append(
                    f"{share} of {sample.pairs:,} {name} (95 % interval {format_percent(low)} to "
                    f"{format_percent(high)})"
                )
        return f"the calibration at {self.resemblance} found {' and '.join(sentences)}"


def calibration_path_with_suffix_unless_path(name: str | os.PathLike[str]) -> Path:
    """Return the file for a name: the name itself if it is a path or ends in ``.json``.

    >>> names = ("mails", "./mails", "mails.json")
    >>> [str(calibration_path_with_suffix_unless_path(name)) for name in names]
    ['mails.ilk-calibration.json', 'mails', 'mails.json']

    Raises:
        OptionError: it is empty.
    """
    written = os.fspath(name)
    if not written:
        raise OptionError("the calibration has no name; give a name or the path of a file.")
    is_path = os.sep in written or "/" in written or written.endswith(".json")
    return Path(written if is_path else written + SUFFIX)
