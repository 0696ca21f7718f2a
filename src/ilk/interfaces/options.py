"""Options that several verbs share, each with one name and one help text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ilk.errors import OptionError
from ilk.pairing.hamming import MAX_PAIRS
from ilk.readers import CONVERT_TIMEOUT, EXTRACTS, TEXT
from ilk.recipes.recipe import PRESETS, Recipe
from ilk.search import planning
from ilk.steps import linkage

_DEFAULT = Recipe()


def parser(verb: str, description: str, epilog: str = "") -> argparse.ArgumentParser:
    """An empty parser for a verb."""
    return argparse.ArgumentParser(
        prog=f"ilk {verb}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_reading(to: argparse.ArgumentParser) -> None:
    """What is read."""
    group = to.add_argument_group("what is read")
    _add_columns(group)
    add_files(group)


def add_files(to: argparse._ActionsContainer) -> None:
    """Which files in folders are read, and how."""
    _add_globs(to)
    to.add_argument(
        "--convert",
        action="append",
        default=[],
        metavar="EXT=COMMAND",
        help="run a program of yours on files of an extension and read the text it prints, "
        "such as 'pdf=pdftotext {} -'; repeatable",
    )
    add_extraction(to)


def add_extraction(to: argparse._ActionsContainer) -> None:
    """How text is made of pages."""
    to.add_argument(
        "--convert-timeout",
        type=float,
        default=CONVERT_TIMEOUT,
        metavar="SECONDS",
        help="what a program of --convert, or --extract, may take for one text (default: "
        "%(default)g)",
    )
    ways = "; ".join(f"{name}: {what}" for name, (_, what) in EXTRACTS.items())
    to.add_argument(
        "--extract",
        choices=EXTRACTS,
        default="none",
        help=f"how text is made of files, and of texts in rows, in HTML ({ways}; needs the extra "
        "`pages`; default: none)",
    )


def reading(args: argparse.Namespace) -> dict[str, Any]:
    """What is read, as the library takes it."""
    return {"text": args.text or TEXT, "id": args.id, **files(args)}


def files(args: argparse.Namespace) -> dict[str, Any]:
    """Which files are read, and how, as the library takes it."""
    return {
        "include": args.include,
        "exclude": args.exclude,
        "convert": conversions(args.convert),
        "convert_timeout": args.convert_timeout,
        "extract": args.extract,
    }


def add_rows(to: argparse._ActionsContainer) -> None:
    """Which columns and which files in folders are read."""
    _add_columns(to)
    _add_globs(to)


def _add_columns(to: argparse._ActionsContainer) -> None:
    to.add_argument(
        "--text",
        action="append",
        metavar="NAME",
        help="the column of texts in files of rows, in JSON with dots into objects; repeatable, "
        f"then they are put together (default: {TEXT})",
    )
    to.add_argument(
        "--id",
        metavar="NAME",
        help="the column of ids in files of rows (default: id, where there is one)",
    )


def _add_globs(to: argparse._ActionsContainer) -> None:
    to.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="GLOB",
        help="read only files in folders whose name or path matches, such as '*.txt'; repeatable",
    )
    to.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="leave out files and folders whose name or path matches; repeatable",
    )


def conversions(specs: list[str]) -> dict[str, list[str]]:
    """The programs that ``--convert`` names, by extension."""
    if not specs:
        return {}
    from ilk.readers.files.converters import parse_convert

    return dict(parse_convert(spec) for spec in specs)


def add_recipe(to: argparse._ActionsContainer, default: Recipe = _DEFAULT) -> None:
    """How fingerprints are made."""
    add_features(to, default)
    to.add_argument(
        "--weights",
        metavar="FILE",
        help="weigh features by this table too, made by `ilk weights build`",
    )


def add_features(to: argparse._ActionsContainer, default: Recipe) -> None:
    """How fingerprints are made, but for a table of weights."""
    to.add_argument(
        "--recipe",
        metavar="RECIPE",
        help=f"how fingerprints are made: a recipe, or the name of one: {', '.join(PRESETS)} "
        f"(default: {default})",
    )
    to.add_argument(
        "--key", metavar="FILE", help="the key of a recipe of siphash: a file of 16 bytes"
    )


def recipe(args: argparse.Namespace) -> Recipe | None:
    """The recipe that the options name; None where they name none.

    Raises:
        OptionError: it is no recipe, or what is given does not fit it.
    """
    weights = secret = None
    if args.weights is not None:
        from ilk.features.weights import Weights

        weights = Weights.read(args.weights)
    if args.key is not None:
        secret = Path(args.key).read_bytes()
    if args.recipe is not None:
        return Recipe.parse(args.recipe, weights=weights, secret=secret)
    if weights is not None or secret is not None:
        given = "--weights" if weights is not None else "--key"
        raise OptionError(f"{given} says nothing without --recipe; name the recipe it is for.")
    return None


def named(string: str) -> Recipe:
    """A recipe that needs nothing at hand, as it was written or by its name."""
    try:
        return Recipe.parse(string)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_same_site(to: argparse._ActionsContainer) -> None:
    """What two documents of one site must share."""
    to.add_argument(
        "--same-site",
        type=lambda written: written if written == planning.STRICTER else share(written),
        metavar="SHARE",
        help="what two documents of one site must share, since its template is in both: a share, "
        f"or `{planning.STRICTER}` for {planning.SAME_SITE}; the site is the host of an id that is "
        "a URL, or else the first folder below the path",
    )


def share(written: str) -> str:
    """A threshold as it was written, 80 % as 0.8."""
    from fractions import Fraction

    try:
        value = Fraction(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(
            f"{written!r} is not a share above 0 and at most 1; write 0.8 or 80%, and put paths "
            "before an option that stands without a number"
        )
    return str(float(value)) if written.endswith("%") else written


def add_shingle(to: argparse._ActionsContainer) -> None:
    """What a document is cut into."""
    to.add_argument(
        "--shingle", type=int, default=3, metavar="WORDS", help="words per shingle (default: 3)"
    )


def add_containment(to: argparse._ActionsContainer) -> None:
    """What makes one of two documents contained in the other."""
    to.add_argument(
        "--containment",
        type=share,
        default=planning.CONTAINMENT,
        metavar="SHARE",
        help="the least part of one that makes it contained in the other (default: %(default)s)",
    )


def add_captures(to: argparse._ActionsContainer) -> None:
    """Pages of the web in rows: where they were, and what they say."""
    to.add_argument(
        "--url", default="url", metavar="NAME", help="the column of URLs (default: %(default)s)"
    )
    to.add_argument(
        "--text",
        default=TEXT,
        metavar="NAME",
        help="the column of the pages' texts (default: %(default)s)",
    )
    add_extraction(to)


def add_pairing(to: argparse._ActionsContainer) -> None:
    """How pairs come to be looked at."""
    to.add_argument(
        "--pairing",
        choices=planning.PAIRINGS,
        help="exact: join the shingle sets, nothing is missed (default, while they fit in "
        "--memory); fingerprint: nominate by fingerprint, then verify",
    )
    to.add_argument(
        "--recall",
        type=share,
        metavar="SHARE",
        help="the share of the near-duplicates that fingerprints shall nominate; the radius "
        f"follows from it (default: {planning.RECALL})",
    )


def add_linkage(to: argparse._ActionsContainer) -> None:
    """What makes a cluster of pairs."""
    to.add_argument(
        "--linkage",
        choices=linkage.LINKAGES,
        default=linkage.LINKAGES[0],
        help="anchored: every member is like its keeper; connected: like some other member "
        "(default: %(default)s)",
    )


def add_max_pairs(to: argparse._ActionsContainer) -> None:
    """Where a search of too many pairs ends."""
    to.add_argument(
        "--max-pairs",
        type=int,
        default=MAX_PAIRS,
        metavar="N",
        help=f"refuse to find more pairs than this (default: {MAX_PAIRS:,})",
    )


def add_running(to: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How the work is done and told of: a group that takes more."""
    group = to.add_argument_group("running")
    add_jobs(group)
    group.add_argument(
        "--strict", action="store_true", help="end with exit code 2 if any file could not be read"
    )
    group.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")
    return group


def add_jobs(to: argparse._ActionsContainer) -> None:
    """How many threads work."""
    to.add_argument("--jobs", type=int, metavar="N", help="threads (default: one per processor)")


def add_output(to: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Where results go."""
    group = to.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help="default: %(default)s")
    group.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write there instead of on stdout"
    )


def paths(to: argparse.ArgumentParser) -> None:
    """The documents."""
    to.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a folder (read recursively), a file, or - for standard input; a file named .jsonl, "
        ".csv, .tsv or .parquet (.gz or .zst behind it), or an archive (WARC, ARC), is read row by "
        "row",
    )


def sources(values: list[str]) -> list[Any]:
    """Paths as the library takes them."""
    return [Path(value) for value in values]
