"""``ilk calibrate``: which radius finds how much, measured on documents of one's own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ilk import readers, writers
from ilk.evaluate import measure, plots
from ilk.evaluate.calibration import Calibration, Labelled, Sample, place
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note
from ilk.search import planning

ERROR = 2

#: Radii beyond the recommended one that the table shows.
_BEYOND = 3

#: From this share of unrelated pairs on, nomination costs more than the exact pairing.
_MANY = 0.01

_EPILOG = """\
examples:
  ilk calibrate reports                         a table, and the radius it recommends
  ilk calibrate reports -o reports              and writes reports.ilk-calibration.json
  ilk scan reports --calibration reports        searches with that radius
  ilk calibrate reports --labels pairs.tsv      also what it does to pairs you have labelled

A name stands for a file in the working folder; nothing is kept anywhere else. Labels are lines of
two documents separated by a tab, perhaps with a third column: 1 the same, 0 different, or a
resemblance."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "calibrate",
        "Measures on your documents which part of their near-duplicates lies within which radius:\n"
        "of edited copies of them, of pairs you have labelled, and of unrelated pairs.",
        _EPILOG,
    )
    options.paths(made)
    group = made.add_argument_group("what is asked")
    group.add_argument(
        "--resemblance",
        type=options.share,
        default=str(planning.RESEMBLANCE),
        metavar="SHARE",
        help="the part of all their shingles that near-duplicates share (default: %(default)s)",
    )
    group.add_argument(
        "--recall",
        type=options.share,
        default=str(planning.RECALL),
        metavar="SHARE",
        help="the part of them that is to be found (default: %(default)s)",
    )
    options.add_shingle(group)
    options.add_recipe(group)
    group = made.add_argument_group("what is measured")
    group.add_argument("--labels", type=Path, metavar="TSV", help="pairs that you have labelled")
    group.add_argument(
        "--copies",
        type=int,
        default=measure.COPIES,
        metavar="N",
        help="edited copies to make of the documents (default: %(default)s)",
    )
    group.add_argument(
        "--pairs-sample",
        type=int,
        default=measure.PAIRS_SAMPLE,
        metavar="N",
        help="pairs to draw at random (default: %(default)s)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="decides what is drawn (default: 0)"
    )
    options.add_reading(made)
    group = made.add_argument_group("output")
    group.add_argument("--format", choices=("table", "jsonl"), default="table")
    group.add_argument(
        "-o", "--output", metavar="NAME_OR_FILE", help="write the calibration, for other verbs"
    )
    group.add_argument(
        "--picture", type=Path, metavar="FILE.png", help="draw it (needs the extra `plots`)"
    )
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Calibrate, print, and return the exit code."""
    if args.output is not None:
        writers.check(place(args.output))
    if args.picture is not None:
        plots.check()
        writers.check(args.picture)
    meter, tally = Meter(args.quiet), readers.Tally()
    found = measure.calibrate(
        options.sources(args.paths),
        recipe=options.recipe(args),
        resemblance=args.resemblance,
        recall=args.recall,
        shingle=args.shingle,
        labels=args.labels,
        copies=args.copies,
        pairs_sample=args.pairs_sample,
        seed=args.seed,
        **options.reading(args),
        jobs=args.jobs,
        tally=tally,
        progress=meter,
    )
    meter.clear()
    lines = _lines(found) if args.format == "table" else [json.dumps(found.to_dict())]
    for line in lines:
        print(line)
    if args.output is not None:
        note(f"written: {found.save(args.output)}", args.quiet)
    if args.picture is not None:
        plots.save(partial(plots.draw_calibration, found), args.picture)
    for failure in tally.failures:
        note(f"not read: {failure.source}: {failure.reason}", args.quiet)
    for line in tally.advice():
        note(line, args.quiet)
    return ERROR if tally.failures and args.strict else 0


def _lines(found: Calibration) -> Iterator[str]:
    """The calibration to be read."""
    alike = f"resemble each other to at least {found.resemblance}"
    yield f"recipe {found.recipe}, {found.shingle} words per shingle"
    yield f"{counted(found.documents, 'document')} read, {found.drawn_from:,} of them to draw from"
    yield f"{found.copies:,} edited copies; {found.planted.pairs:,} and their originals {alike}"
    yield f"{counted(found.natural.pairs, 'document')} beside a near-duplicate"
    drawn = found.background.pairs + found.related
    yield f"{drawn:,} pairs drawn at random; {found.related:,} of them {alike}"
    yield ""
    if not any(sample.pairs for sample in found.samples.values()):
        yield f"no pair at {found.resemblance} was found or made, so no radius is recommended"
        return
    yield from _table(found)
    yield ""
    if found.radius is not None:
        yield f"within {found.radius} bits, by kind of edit:"
        for kind, sample in (found.kinds | {"just alike enough": found.edge}).items():
            yield f"  {kind:<20}{_found(sample, found.radius):<28}of {sample.pairs:,}"
        yield ""
    if found.labelled is not None:
        yield from _labels(found.labelled)
        yield ""
    yield from _recommendation(found)


def _table(found: Calibration) -> Iterator[str]:
    """Per radius what it finds, up to a few beyond the recommended one."""
    yield (
        "found of"
        + "".join(f"{name:>28}" for name in found.samples)
        + f"{'unrelated pairs, in vain':>32}"
    )
    last = found.bits // 4 if found.radius is None else found.radius + _BEYOND
    for radius in range(min(last, found.bits) + 1):
        mark = "->" if radius == found.radius else "  "
        cells = "".join(f"{_found(sample, radius):>28}" for sample in found.samples.values())
        yield f"{mark}{radius:>3} bits{cells}{_found(found.background, radius, 4):>32}"


def _found(sample: Sample, radius: int, digits: int = 1) -> str:
    """The share of the pairs within a radius, and its interval."""
    if not sample.pairs:
        return "none"
    low, high = sample.interval(radius)
    ends = f"{low:.{digits}%} - {high:.{digits}%}"
    return f"{sample.share(radius):.{digits}%} ({ends})"


def _labels(labelled: Labelled) -> Iterator[str]:
    """How alike the labelled pairs are: what a threshold would do to them."""
    yield "labelled pairs by resemblance:      the same   different"
    steps = len(labelled.same) - 1
    for step in range(steps, -1, -2):
        same, different = sum(labelled.same[step:]), sum(labelled.different[step:])
        yield f"  {step / steps:.1f} or more{same:>29,}{different:>12,}"
    if labelled.unknown:
        yield f"  {counted(labelled.unknown, 'line')} named documents that were not read"


def _recommendation(found: Calibration) -> Iterator[str]:
    """The radius, what it costs, and what to do where there is none."""
    radius = found.radius
    if radius is None:
        without = sum(sample.without for sample in found.samples.values())
        yield (
            f"no radius finds {found.recall:.1%}: of {counted(without, 'pair')} a text has no "
            "fingerprint. Use the exact pairing."
        )
        return
    yield f"recommended: {counted(radius, 'bit')}"
    chance = found.background.share(radius)
    if chance is None:
        yield "there are no unrelated pairs, so what it nominates in vain is not known"
        return
    pairs = found.drawn_from * (found.drawn_from - 1) // 2
    yield f"of {pairs:,} pairs of these documents, about {chance * pairs:,.0f} are compared in vain"
    if chance >= _MANY:
        yield "that is so many that the exact pairing is the better choice"
