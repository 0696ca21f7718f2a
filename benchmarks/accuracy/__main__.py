"""``python -m benchmarks.accuracy``: score `ilk scan` on labelled documents."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import peers
from benchmarks.accuracy import answers, drawn, evaluate, known, report
from benchmarks.accuracy.documents import DocumentError
from benchmarks.accuracy.labels import LabelError
from benchmarks.accuracy.truth import Question
from ilk.base.errors import MissingExtra
from ilk_papers.measure import plots

#: Sections of ``report``, and what they tell.
_COMPARED = {
    "recipes": "near duplicates by nature: recall and candidates at every radius",
    "model": "bits that differ by resemblance, against the planner's model",
    "edits": "edited copies of unrelated texts: recall at a false-positive rate of a millionth",
    "templates": "pages of one template: precision of fingerprints and of verified pairs",
    "peers": "other packages on the sets in ../shared/data and on edited copies",
}

_EPILOG = r"""
documents: a folder, whose files are named by their path below it; or a JSONL file of
  {"id": ..., "text": ...}

labels, cells separated by tabs, a head line or none, more columns as notes:
  --pairs      name  name  resemblance   of the sets of --shingle lower-cased \w+ tokens;
                                         without the third column, pairs of one kind
  --clusters   name  family
  --graded     name  name  grade         any number, higher for what is more alike
  --versions   name  family  version

Options that are not listed here are handed to `ilk scan`. Prints one JSON line.
"""


def main() -> int:
    """Score one set, or all that are known."""
    parser = _parser()
    args, options = parser.parse_known_args()
    _check(parser, args)
    try:
        for line in _lines(parser, args, options):
            print(line, flush=True)
    except (DocumentError, LabelError, OSError) as error:
        parser.error(str(error))
    return 0


def _lines(
    parser: argparse.ArgumentParser, args: argparse.Namespace, options: list[str]
) -> Iterator[str]:
    """What is printed: tables, or one line of JSON."""
    if args.compared:
        yield from report.run(args.compared, save=args.save, picture=args.picture)
    elif args.all:
        asked = 0.8 if args.resemblance is None else args.resemblance
        yield from known.lines(asked, args.min_words, args.band, options)
    else:
        scores = _scores(parser, args, options)
        if args.picture:
            plots.save_picture(partial(drawn.curve, scores), args.picture)
        yield json.dumps(scores)


def _check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuse options that do not go together, and what cannot be done here, before any work."""
    labelled = args.pairs or args.clusters or args.graded or args.versions
    if not (args.compared or args.all or (args.documents and labelled)):
        parser.error("name --documents and a file of labels, or say --all")
    if args.curve and not args.pairs:
        parser.error("--curve goes with --pairs")
    if args.peer and (args.curve or not args.pairs):
        parser.error("--peer goes with --pairs, at one resemblance")
    if args.peer and (reason := peers.missing()):
        parser.error(reason)
    if args.picture and not (args.curve or "recipes" in (args.compared or ())):
        parser.error("--picture goes with --curve or --recipes")
    if args.picture:
        try:
            plots.refuse_without_matplotlib()
        except MissingExtra as error:
            parser.error(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description="Scores `ilk scan` on documents whose likeness is known.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--documents", type=Path, metavar="PATH", help="a folder or a JSONL file")
    labels = parser.add_mutually_exclusive_group()
    labels.add_argument("--pairs", type=Path, metavar="TSV", help="known resemblances")
    labels.add_argument("--clusters", type=Path, metavar="TSV", help="known families")
    labels.add_argument("--graded", type=Path, metavar="TSV", help="known grades of likeness")
    labels.add_argument("--versions", type=Path, metavar="TSV", help="known versions")
    parser.add_argument(
        "--curve", action="store_true", help="score --pairs at every resemblance, not at one"
    )
    parser.add_argument(
        "--peer",
        choices=peers.DOCUMENTED,
        help="score the --pairs of another package instead of `ilk scan`",
    )
    parser.add_argument(
        "--resemblance",
        type=float,
        metavar="SHARE",
        help="asked of the scan; pairs labelled so or higher are to be found",
    )
    parser.add_argument("--shingle", type=int, metavar="WORDS", help="asked of the scan")
    parser.add_argument(
        "--min-words",
        type=int,
        default=50,
        metavar="N",
        help=r"leave out documents of fewer \w+ tokens (default: %(default)s)",
    )
    parser.add_argument(
        "--band",
        type=float,
        default=0.7,
        metavar="SHARE",
        help="labelled pairs from here up to --resemblance count neither way "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="PNG",
        help="draw --curve, or what --recipes measured (extra plots)",
    )
    parser.add_argument("--all", action="store_true", help="score the sets in ../shared/data")
    compared = parser.add_argument_group("recipes compared, in some minutes")
    for name, what in _COMPARED.items():
        compared.add_argument(
            f"--{name}", dest="compared", action="append_const", const=name, help=what
        )
    compared.add_argument("--save", action="store_true", help="keep the figures in results/")
    return parser


def _scores(
    parser: argparse.ArgumentParser, args: argparse.Namespace, options: list[str]
) -> evaluate.Scores:
    if args.pairs:
        if args.resemblance is None or args.shingle is None:
            parser.error("--pairs needs the --resemblance to ask for and the labels' --shingle")
        question = Question(args.resemblance, args.shingle, args.min_words, args.band)
        if args.curve:
            return evaluate.score_curve(args.documents, args.pairs, question, options)
        answer = answers.asked(args.peer) if args.peer else answers.scanned(options)
        return evaluate.score_pairs(args.documents, args.pairs, question, answer)
    if args.shingle is not None:
        options = ["--shingle", str(args.shingle), *options]
    if args.clusters:
        if args.resemblance is not None:
            options = ["--resemblance", str(args.resemblance), *options]
        return evaluate.score_clusters(args.documents, args.clusters, options)
    if args.resemblance is not None:
        parser.error("every resemblance is asked of the scan where it is graded")
    if args.graded:
        return evaluate.score_grades(args.documents, args.graded, options)
    return evaluate.score_versions(args.documents, args.versions, options)


if __name__ == "__main__":
    sys.exit(main())
