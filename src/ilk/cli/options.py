"""Options that several commands share, and their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Text
from ilk.base.options import CONTAINMENT, OPTIONS, Option
from ilk.cli.parsing import Parser as Parser
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.recipe_options import PRESETS

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.base.progress import Meter, Step
    from ilk.read import ReadReport

#: Which columns and files of rows to read; how to get the text of files, and of pages; web pages in
#: rows: their addresses and texts.
ROWS = ("text", "id", "include", "exclude", "encoding")
PAGES = ("extract", "convert_timeout")
LIMITS = ("limit_memory", "limit_text", "limit_unpacked", "limit_ratio", "limit_nesting")
TEXTS = ("convert", "extract", "replies", "ocr", "cache", "convert_timeout", *LIMITS)
FILES = ("include", "exclude", *TEXTS)
WALKS = ("links", "gitignore", "no_hidden", "one_file_system", "size", "newer", "older", "depth")
DOCUMENTS = ("text", "id", "rows", "folder_as_document", *WALKS, *FILES, "encoding")
CAPTURES = ("url", "text", *PAGES)

#: How candidates are found by fingerprint, how a verb runs, and where a result goes.
PAIRING = ("pairing", "recall", "radius", "similarity", "unverified")
#: What an entry says differently where the option needs no other one on the command line: a recall
#: implies the search by fingerprint.
IMPLYING: dict[str, Any] = {"needs": ()}
RECIPE = ("recipe", "weights", "secret")
RUNNING = ("jobs", "strict", "quiet")
OUTPUT = ("format", "output", "force")

_PATHS = (
    "a folder (read recursively), a file, or - for standard input; a .jsonl, .csv or .tsv file "
    "(also with .gz, .zst, .bz2 or .xz after that), a .parquet file, or an archive (WARC, ARC, "
    "WACZ), is read row by row"
)

#: Adds options or arguments to a parser.
Adder: TypeAlias = Callable[[Parser], object]


def make_parser(verb: str, description: str, epilog: str = "") -> Parser:
    """Return an empty parser for a verb."""
    return Parser(prog=f"ilk {verb}", description=description, epilog=epilog)


def make_parser_with_help_file(verb: str, **values_in_texts: str) -> Parser:
    """Return an empty parser for a verb of the core, whose texts are in ``help/``.

    A file has the description and, after a line of dashes, the epilog; the values go into both.
    """
    text = (Path(__file__).parent / "help" / f"{verb}.txt").read_text("utf-8").rstrip()
    texts = (text.format(**values_in_texts) if values_in_texts else text).partition("\n---\n")
    return make_parser(verb, description=texts[0], epilog=texts[2])


def add_paths(
    parser: Parser, help_text: str = _PATHS, metavar: str = "PATH", nargs: str = "+"
) -> None:
    """Add the argument ``paths``: which documents to read."""
    parser.add_argument("paths", nargs=str(nargs), metavar=metavar, help=help_text)


def add_options(
    parser: Parser, *names: str, heading: str = "", **changes: Option | Mapping[str, Any] | str
) -> None:
    """Add options to a parser.

    Args:
        parser: it gets them.
        names: of entries of the table.
        heading: of a new group for them; without it, they join the options before.
        changes: options of only this verb; or, of an entry, another help, or other fields.
    """
    group = parser.add_argument_group(heading) if heading else parser
    for name in dict.fromkeys((*names, *changes)):
        change = changes.get(name, {})
        change = {"help": change} if isinstance(change, str) else change
        option = change if isinstance(change, Option) else option_with_fields(name, **change)
        parser.add_option(name, option, group)


def option_adder(
    *names: str, heading: str = "", **changes: Option | Mapping[str, Any] | str
) -> Adder:
    """Return a function that adds these options to a parser; arguments as for ``add_options``."""
    return lambda parser: add_options(parser, *names, heading=heading, **changes)


def argument_adder(name: str, **argparse_fields: Any) -> Adder:
    """Return a function that adds a positional argument to a parser."""
    return lambda parser: parser.add_argument(name, **argparse_fields)


def given_library_arguments(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the given values of these options, in the form for the library."""
    values = ((name, getattr(args, name, None)) for name in names)
    options = {name: value for name, value in values if value is not None}
    if "convert" in options:
        from ilk.read.files.converters import parse_converter

        options["convert"] = dict(map(parse_converter, options["convert"]))
    for name in ("against", "ignore_text"):
        if name in options:
            options[name] = list(map(_check_nonempty_path, options[name]))
    if "pairing" in names and "recall" in options:
        options.setdefault("pairing", "fingerprint")  # Only fingerprints may miss a pair.
    limits = {name[len("limit_") :]: options.pop(name) for name in LIMITS if name in options}
    if limits:
        from ilk.read.formats.parts import Limits

        options["limits"] = Limits.of(**limits)
    return options


def source_paths(args: argparse.Namespace) -> list[Path]:
    """Return the paths in the form for the library."""
    return list(map(_check_nonempty_path, args.paths))


def _check_nonempty_path(name: str) -> Path:
    """Return a path; OptionError if it is empty."""
    if not name:  # A variable of the shell without a value: Path("") is the current folder.
        raise OptionError("a path is empty; name a file or a folder, or '.' for the current one.")
    return Path(name)


def read_documents(
    args: argparse.Namespace, meter: Meter, tally: ReadReport, cache_folder: Path | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the named documents, batch by batch; what cannot be read is added to the tally.

    Raises:
        NothingRead: there were files, but none could be read.
    """
    from ilk import read
    from ilk.base.run_options import Running
    from ilk.tasks.steps import progress_steps_of_reading_sources

    reading = read.Reading.of(**given_library_arguments(args, *DOCUMENTS))
    meter.expect_steps_unless_known(
        list(progress_steps_of_reading_sources(reading, source_paths(args)))
    )
    reading = reading if cache_folder is None else reading.with_default_cache(cache_folder)
    yield from read.read_documents(
        source_paths(args), reading, Running.of(args.jobs, progress=meter), tally
    )
    read.refuse_if_all_files_unreadable(tally)


def progress_steps_of_reading(
    args: argparse.Namespace, *, with_reference: bool = True
) -> list[Step]:
    """Return the steps of reading the named documents, after those of ``against``."""
    from ilk import read
    from ilk.tasks.steps import progress_steps_of_reading_sources

    names = set(DOCUMENTS) & vars(args).keys()
    against = given_library_arguments(args, "against").get("against") if with_reference else None
    reading = read.Reading.of(**given_library_arguments(args, *names))
    return list(progress_steps_of_reading_sources(reading, against, source_paths(args)))


def format_option_fields(*formats: str) -> dict[str, Any]:
    """Return the fields of the option for the output formats of a verb, the default first."""
    return {"kind": Choice(formats), "default": formats[0]}


def recipe_option_changes(default: Recipe | None, *parts: str) -> dict[str, Any]:
    """Return the option of the recipe, with its default; ``weights`` and ``secret`` are parts."""
    known = f"{OPTIONS['recipe'].help}: {', '.join(PRESETS)}"
    own: dict[str, Any] = {"recipe": {"help": known, "default_phrase": str(default), "part": None}}
    return own | {part: {"part": ("recipe", part)} for part in parts or RECIPE[1:]}


#: Fields of the option for a containment that is always looked for.
CONTAINED = {
    "default": CONTAINMENT,
    "const": None,
    "help": "the least share of one that makes it contained in the other",
    "default_phrase": None,
}


def read_recipe_weights_and_secret_if_given(args: argparse.Namespace) -> Recipe | None:
    """Return the recipe that the options name; None if they name none."""
    from ilk.fingerprints.weights import Weights

    names = [name for name in ("weights", "secret") if getattr(args, name, None) is not None]
    if args.recipe is None:
        if names:
            raise OptionError(f"`{names[0]}` needs `recipe`; name the recipe it is for.")
        return None
    weights = Weights.read(args.weights) if "weights" in names else None
    secret = Path(args.secret).read_bytes() if "secret" in names else None
    return Recipe.parse(args.recipe, weights=weights, secret=secret)


def option_with_fields(name: str, **fields: Any) -> Option:
    """Return an entry of the table of options with other values in these fields."""
    return replace(OPTIONS[name], **fields)


def make_text_option(
    default: str | None, help_text: str, metavar: str, *, refused_in_default_config: bool = False
) -> Option:
    """Return an option of one verb whose value is a text, such as a name; the last argument is as
    for ``Option``.
    """
    return Option(
        Text(), help_text, default, metavar, refused_in_default_config=refused_in_default_config
    )


def spell_names_with_meanings(meanings: Mapping[str, str], name_width: int = 0) -> str:
    """Return names and their meanings, one line each; 0: as wide as the longest name."""
    width = name_width or max(map(len, meanings))
    return "\n".join(f"  {name:<{width}}  {meaning}" for name, meaning in meanings.items())
