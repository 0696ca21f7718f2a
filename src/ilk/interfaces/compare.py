"""``ilk compare``: every measure between two documents, and the passages they share."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.columns import verdicts
from ilk.interfaces import options
from ilk.pairing.passages import MIN_WORDS
from ilk.recipes.recipe import Recipe
from ilk.search import planning

if TYPE_CHECKING:
    from ilk.comparison import Comparison

DIFFERENT = 1

#: Characters of a passage that the table shows.
_EXCERPT = 96


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "compare",
        "Compares two documents: how alike they are by every measure, and what they share.\n"
        "Exit code 0, or 1 if they are different.",
    )
    made.add_argument("left", metavar="A", help="a file, or - for standard input")
    made.add_argument("right", metavar="B", help="another file")
    made.add_argument(
        "--resemblance",
        type=options.share,
        default=planning.RESEMBLANCE,
        metavar="SHARE",
        help="the least resemblance of near-duplicates (default: %(default)s)",
    )
    options.add_containment(made)
    options.add_shingle(made)
    made.add_argument(
        "--min-words",
        type=int,
        default=MIN_WORDS,
        metavar="N",
        help="words that a shared run must have to be a passage (default: %(default)s)",
    )
    made.add_argument(
        "--passages",
        type=int,
        default=10,
        metavar="N",
        help="how many passages the table shows (default: %(default)s); jsonl gives all",
    )
    made.add_argument("--format", choices=("table", "jsonl"), default="table")
    options.add_recipe(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Compare, print, and return the exit code."""
    from ilk.comparison import compare

    recipe = options.recipe(args) or Recipe()
    found = compare(
        Path(args.left),
        Path(args.right),
        recipe,
        resemblance=args.resemblance,
        containment=args.containment,
        shingle=args.shingle,
        min_words=args.min_words,
    )
    if args.format == "jsonl":
        print(json.dumps({"left": args.left, "right": args.right, **found.to_dict()}))
    else:
        for line in _lines(found, recipe.bits, args.passages):
            print(line)
    return DIFFERENT if found.verdict == verdicts.DIFFERENT else 0


def _lines(found: Comparison, bits: int, most: int) -> Iterator[str]:
    """The comparison to be read."""
    yield found.meaning
    yield ""
    yield f"verdict            {found.verdict}"
    yield f"resemblance        {found.resemblance:.4f}   of sets of {found.shingles}"
    yield f"containment        {found.containment_left:.4f}   of A in B"
    yield f"                   {found.containment_right:.4f}   of B in A"
    if found.cosine is not None:
        yield f"cosine             {found.cosine:.4f}   of weighted features, exact"
    if found.cosine_interval is not None:
        low, high = found.cosine_interval
        yield (
            f"cosine, estimated  {found.cosine_estimate:.4f}   from the fingerprints; "
            f"95 % interval {low:.4f} to {high:.4f}"
        )
    if found.resemblance_interval is not None:
        low, high = found.resemblance_interval
        yield (
            f"resemblance, est.  {found.resemblance_estimate:.4f}   of the recipe's shingles, from "
            f"the fingerprints; 95 % interval {low:.4f} to {high:.4f}"
        )
    if found.distance is None:
        yield "distance           none     a text has too few features for a fingerprint"
    else:
        yield f"distance           {found.distance}        bits of {bits}"
        yield f"bit agreement      {found.bit_agreement:.4f}"
    yield f"equal texts        {'yes' if found.equal_digest else 'no'}"
    yield f"equal bytes        {'yes' if found.equal_bytes_digest else 'no'}"
    yield f"recipe             {found.recipe}"
    yield ""
    words = sum(passage.words for passage in found.passages)
    yield f"{len(found.passages)} shared passages, {words} words"
    for passage in found.passages[:most]:
        left = f"A {passage.left_start}-{passage.left_end}"
        right = f"B {passage.right_start}-{passage.right_end}"
        yield f"  {passage.words} words: {left}, {right}"
        yield f"    {textwrap.shorten(passage.text, _EXCERPT, placeholder=' ...')}"
    if len(found.passages) > most:
        yield f"  ... and {len(found.passages) - most} more"
