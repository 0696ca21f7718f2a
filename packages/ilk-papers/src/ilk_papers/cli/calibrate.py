"""``ilk calibrate``: which radius finds how much, measured on your own documents."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk import Recipe
from ilk.companions import format_percent
from ilk.plugins import ReadReport, count_noun, note, options, output
from ilk_papers.options import MEASUREMENT

if TYPE_CHECKING:
    from ilk_papers.measure.calibration import Calibration, LabelCounts, Sample

#: What the verb does.
SUMMARY = "measure on your documents what share each radius finds"

#: The options of ``calibrate`` for the request, and for what is measured.
_ASKED = ("resemblance", "recall", "shingle")
_MEASURED = ("labels", *MEASUREMENT)
_OF_MEASUREMENT: dict[str, Any] = {**MEASUREMENT}

#: Radii beyond the recommended one that the table shows.
_BEYOND = 3

#: Above this share of unrelated pairs, nomination costs more than the exact pairing.
_MANY = 0.01

_EPILOG = """\
examples:
  ilk calibrate reports                         print a table and the recommended radius
  ilk calibrate reports -o reports              also write reports.ilk-calibration.json
  ilk scan reports --fingerprint radius=6       search with the radius that it recommends
  ilk calibrate reports --labels pairs.tsv      also measure it on pairs you have labelled

A name means a file in the working folder; nothing is kept anywhere else. Labels are lines with two
documents separated by a tab, and optionally a third column: 1 the same, 0 different, or a
resemblance."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "calibrate",
        "Measures what share of the near-duplicates in your documents each radius finds, and of\n"
        "edited copies, pairs you have labelled, and unrelated pairs.",
        _EPILOG,
    )
    options.add_paths(verb)
    options.add_options(
        verb,
        *_ASKED,
        heading="goal",
        **options.recipe_option_changes(Recipe()),
        recall=options.option_with_fields(
            "recall", help="the share of near-duplicates to find", part=None
        ),
    )
    options.add_options(verb, "labels", heading="measurement", **_OF_MEASUREMENT)
    options.add_options(verb, *options.DOCUMENTS, heading="input")
    options.add_options(
        verb,
        heading="output",
        format=options.format_option_fields("table", "jsonl"),
        output=options.option_with_fields(
            "output",
            metavar="NAME_OR_FILE",
            help="write the calibration, for other verbs; - for standard output, without the table",
        ),
        force=options.option_with_fields("force"),
        picture=options.make_text_option(
            None, "draw it (needs the extra `plots`)", "FILE.png", refused_in_default_config=True
        ),
    )
    options.add_options(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Calibrate, print, and return the exit code."""
    from ilk_papers.measure import plots
    from ilk_papers.measure.calibration import calibration_path_with_suffix_unless_path
    from ilk_papers.measure.measure import calibrate

    output_file = args.output if args.output != output.STDOUT else None
    if output_file is not None:
        output.refuse_unwritable_file(args, calibration_path_with_suffix_unless_path(output_file))
    if args.picture is not None:
        plots.refuse_without_matplotlib()
        output.refuse_unwritable_file(args, Path(args.picture))
    tally = ReadReport()
    with output.show_progress(args) as meter:
        calibration = calibrate(
            options.source_paths(args),
            recipe=options.read_recipe_weights_and_secret_if_given(args),
            **options.given_library_arguments(
                args, *_ASKED, *_MEASURED, *options.DOCUMENTS, "jobs"
            ),
            tally=tally,
            progress=meter,
        )
    if args.output == output.STDOUT:
        args.format = "jsonl"
    output.print_record_or_lines(args, calibration.to_dict(), _output_lines(calibration))
    if output_file is not None:
        note(f"written: {calibration.save(output_file)}", args.quiet)
    if args.picture is not None:
        plots.save_picture(partial(plots.draw_calibration, calibration), Path(args.picture))
    return output.note_unread_and_return_error_if_strict(args, tally)


def _output_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the calibration as lines of text."""
    it, least = calibration, f"at resemblance >= {calibration.resemblance}"
    yield f"recipe {it.recipe}, {it.shingle} words per shingle"
    yield f"{count_noun(it.documents, 'document')} read, {it.drawn_from:,} of them to draw from"
    yield f"{it.copies:,} edited copies; {it.all_copies.pairs:,} of them {least} to their originals"
    yield f"{count_noun(it.natural.pairs, 'document')} beside a near-duplicate"
    drawn = it.background.pairs + it.related
    yield f"{drawn:,} pairs drawn at random; {it.related:,} of them {least}"
    yield ""
    if not any(sample.pairs for sample in it.samples.values()):
        yield f"no pair at {it.resemblance} was found or made, so no radius is recommended"
        return
    yield from _table_lines(it)
    yield ""
    if it.radius is not None:
        yield f"within {count_noun(it.radius, 'bit')}, by kind of edit:"
        for kind, sample in (it.kinds | {"just alike enough": it.edge}).items():
            yield f"  {kind:<20}{_spell_share_within(sample, it.radius):<20} of {sample.pairs:,}"
        yield ""
    if it.labelled is not None:
        yield from _label_counts_by_resemblance_lines(it.labelled)
        yield ""
    yield from _recommended_radius_and_cost_lines(it)


def _table_lines(calibration: Calibration) -> Iterator[str]:
    """Yield what each radius finds, up to a few beyond the recommended one."""
    names = "".join(f"{name:>20}" for name in calibration.samples)
    yield f"found of  {names}{'unrelated':>10}"
    radius, bits = calibration.radius, calibration.bits
    last = bits // 4 if radius is None else radius + _BEYOND
    for at in range(min(last, bits) + 1):
        mark = "->" if at == radius else "  "
        cells = "".join(
            f"{_spell_share_within(sample, at):>20}" for sample in calibration.samples.values()
        )
        chance = calibration.background.share(at)
        vain = "none" if chance is None else format_percent(chance, min_digits=4)
        yield f"{mark}{at:>3} {'bit ' if at == 1 else 'bits'}{cells}{vain:>10}"


def _spell_share_within(sample: Sample, radius: int) -> str:
    """Return the share of the pairs within a radius, and its interval."""
    if not sample.pairs:
        return "none"
    low, high = sample.interval(radius)
    share = format_percent(sample.share(radius) or 0.0)
    return f"{share} ({format_percent(low)[:-1]}-{format_percent(high)[:-1]})"


def _label_counts_by_resemblance_lines(labels: LabelCounts) -> Iterator[str]:
    """Yield how alike the labelled pairs are, to choose a threshold."""
    yield "labelled pairs by resemblance:      the same   different"
    steps = len(labels.same) - 1
    for step in range(steps, -1, -2):
        same, different = sum(labels.same[step:]), sum(labels.different[step:])
        yield f"  {step / steps:.1f} or more{same:>29,}{different:>12,}"
    if labels.unknown:
        yield f"  {count_noun(labels.unknown, 'line')} named documents that were not read"


def _recommended_radius_and_cost_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the radius and what it costs, or what to do without a radius."""
    radius = calibration.radius
    if radius is None:
        without = sum(sample.without for sample in calibration.samples.values())
        yield (
            f"no radius finds {format_percent(calibration.recall)}: "
            f"{count_noun(without, 'pair')} with a text that has no fingerprint. "
            "Use the exact pairing."
        )
        return
    yield f"recommended: {count_noun(radius, 'bit')}"
    chance = calibration.background.share(radius)
    if chance is None:
        yield "there are no unrelated pairs, so how many it would nominate in vain is unknown"
        return
    pairs = calibration.drawn_from * (calibration.drawn_from - 1) // 2
    low, high = calibration.background.interval(radius)
    share = format_percent(chance, min_digits=4)
    yield f"of unrelated pairs {share} ({100 * low:.4f}-{100 * high:.4f}) are within it:"
    yield f"of {pairs:,} pairs of these documents, about {chance * pairs:,.0f} are compared in vain"
    if chance >= _MANY:
        yield "with that many, the exact pairing is the better choice"
