"""``ilk compare``: every measure between two documents, and the passages they share."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.columns import verdicts
from ilk.interfaces import options, output
from ilk.options.kinds import Whole
from ilk.options.table import Option
from ilk.recipes.recipe import Recipe

if TYPE_CHECKING:
    from ilk.comparison import Comparison

#: What the verdict and the passages need, as ``compare`` takes it.
_SOUGHT = ("resemblance", "shingle", "min_words")

#: Characters of a passage that the table shows.
_EXCERPT = 96


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "compare",
        "Compares two documents: how alike they are by every measure, and what they share.\n"
        "Exit code 0, or 1 if they are different.",
    )
    verb.add_argument("left", metavar="A", help="a file, or - for standard input")
    verb.add_argument("right", metavar="B", help="another file")
    options.add(
        verb,
        *_SOUGHT,
        *options.RECIPE,
        containment=options.contained(),
        recipe=options.recipes(Recipe()),
        passages=Option(Whole(), "how many passages the table shows; jsonl gives all", 10, "N"),
        format=options.formats("table", "jsonl"),
    )
    return verb


def run(args: argparse.Namespace) -> int:
    """Compare, print, and return the exit code."""
    from ilk.comparison import compare

    recipe = options.recipe(args) or Recipe()
    chosen = options.given(args, *_SOUGHT, "containment")
    comparison = compare(Path(args.left), Path(args.right), recipe, **chosen)
    record = {"left": args.left, "right": args.right, **comparison.to_dict()}
    output.show(args, record, _lines(comparison, recipe.bits, args.passages))
    return output.NOTHING if comparison.verdict == verdicts.DIFFERENT else output.DONE


def _lines(it: Comparison, bits: int, most: int) -> Iterator[str]:
    """Yield the comparison as lines to be read."""
    yield it.meaning
    yield ""
    yield f"verdict            {it.verdict}"
    yield f"resemblance        {it.resemblance:.4f}   of sets of {it.shingles}"
    yield f"containment        {it.containment_left:.4f}   of A in B"
    yield f"                   {it.containment_right:.4f}   of B in A"
    if it.cosine is not None:
        yield f"cosine             {it.cosine:.4f}   of weighted features, exact"
    if it.cosine_interval is not None:
        low, high = it.cosine_interval
        yield (
            f"cosine, estimated  {it.cosine_estimate:.4f}   from the fingerprints; "
            f"95 % interval {low:.4f} to {high:.4f}"
        )
    if it.resemblance_interval is not None:
        low, high = it.resemblance_interval
        yield (
            f"resemblance, est.  {it.resemblance_estimate:.4f}   of the recipe's shingles, from "
            f"the fingerprints; 95 % interval {low:.4f} to {high:.4f}"
        )
    if it.distance is None:
        yield "distance           none     a text has too few features for a fingerprint"
    else:
        yield f"distance           {it.distance}        bits of {bits}"
        yield f"bit agreement      {it.bit_agreement:.4f}"
    yield f"equal texts        {'yes' if it.equal_digest else 'no'}"
    yield f"equal bytes        {'yes' if it.equal_bytes_digest else 'no'}"
    yield f"recipe             {it.recipe}"
    yield ""
    words = sum(passage.words for passage in it.passages)
    yield f"{len(it.passages)} shared passages, {words} words"
    for passage in it.passages[:most]:
        left = f"A {passage.left_start}-{passage.left_end}"
        right = f"B {passage.right_start}-{passage.right_end}"
        yield f"  {passage.words} words: {left}, {right}"
        yield f"    {textwrap.shorten(passage.text, _EXCERPT, placeholder=' ...')}"
    if len(it.passages) > most:
        yield f"  ... and {len(it.passages) - most} more"
