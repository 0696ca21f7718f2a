"""``python -m benchmarks.accuracy``: score `ilk scan` on labelled documents."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.accuracy import evaluate, known
from benchmarks.accuracy.labels import LabelError

_EPILOG = r"""
labels, separated by tabs, paths below DIR or below a folder above it:
  --pairs      file  file  resemblance   of the sets of --shingle lower-cased \w+ tokens
  --clusters   file  family

Options that are not listed here are handed to `ilk scan`. Prints one JSON line.
"""


def main() -> int:
    """Score one set, or all that are known."""
    parser = _parser()
    args, options = parser.parse_known_args()
    if args.all:
        asked = 0.8 if args.resemblance is None else args.resemblance
        for line in known.lines(asked, args.min_words, args.band, options):
            print(line, flush=True)
        return 0
    if args.documents is None or (args.pairs is None) == (args.clusters is None):
        parser.error("name --documents and one of --pairs and --clusters, or say --all")
    try:
        scores = _pairs(parser, args, options) if args.pairs else _clusters(args, options)
    except (LabelError, OSError) as error:
        parser.error(str(error))
    print(json.dumps(scores, ensure_ascii=False))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description="Scores `ilk scan` on documents whose likeness is known.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--documents", type=Path, metavar="DIR", help="a folder of documents")
    parser.add_argument("--pairs", type=Path, metavar="TSV", help="known resemblances")
    parser.add_argument("--clusters", type=Path, metavar="TSV", help="known families")
    parser.add_argument("--resemblance", type=float, metavar="SHARE", help="asked of the scan")
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
    parser.add_argument("--all", action="store_true", help="score the sets in ../shared/data")
    return parser


def _pairs(
    parser: argparse.ArgumentParser, args: argparse.Namespace, options: list[str]
) -> dict[str, object]:
    if args.resemblance is None or args.shingle is None:
        parser.error("--pairs needs the --resemblance to ask for and the labels' --shingle")
    question = evaluate.Question(args.resemblance, args.shingle, args.min_words, args.band)
    return evaluate.score_pairs(args.documents, args.pairs, question, options)


def _clusters(args: argparse.Namespace, options: list[str]) -> dict[str, object]:
    for name in ("resemblance", "shingle"):
        if (value := getattr(args, name)) is not None:
            options = [f"--{name}", str(value), *options]
    return evaluate.score_clusters(args.documents, args.clusters, options)


if __name__ == "__main__":
    sys.exit(main())
