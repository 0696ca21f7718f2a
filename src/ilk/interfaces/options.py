"""Parsers made from the table of options, and what was said to them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ilk.errors import OptionError
from ilk.options.kinds import Choice, Flag, Text
from ilk.options.table import CONTAINMENT, OPTIONS, Option
from ilk.recipes.presets import PRESETS
from ilk.recipes.recipe import Recipe

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.interfaces.progress import Meter
    from ilk.readers import Tally

#: Which columns and files of rows are read; how text is made of files, and of pages.
ROWS = ("text", "id", "include", "exclude")
PAGES = ("convert_timeout", "extract")
FILES = ("include", "exclude", "convert", *PAGES)
DOCUMENTS = ("text", "id", *FILES)

#: Pages of the web in rows: where they were, and what they say.
CAPTURES = ("url", "text", *PAGES)

#: How fingerprints are made, and how a verb runs.
RECIPE = ("recipe", "weights", "secret")
RUNNING = ("jobs", "strict", "quiet")

_PATHS = (
    "a folder (read recursively), a file, or - for standard input; a file named .jsonl, .csv, "
    ".tsv or .parquet (.gz or .zst after that), or an archive (WARC, ARC), is read row by row"
)


class Parser(argparse.ArgumentParser):
    """A parser that checks its options by the table, and says what is wrong in a line.

    Attributes:
        entries: its options by their names.
    """

    def __init__(self, **words: Any) -> None:
        """Know no option yet."""
        words = {"formatter_class": argparse.RawDescriptionHelpFormatter} | words
        super().__init__(**words, allow_abbrev=False)
        self.entries: dict[str, Option] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return what was said, checked.

        Raises:
            OptionError: an option is unknown or out of bounds.
        """
        parsed, rest = super().parse_known_args(args, namespace)
        for name, option in self.entries.items():
            written = getattr(parsed, name, None)
            if isinstance(written, str):
                setattr(parsed, name, option.kind.check(name, option.kind.read(written)))
        return parsed, rest

    def error(self, message: str) -> Any:
        """Refuse the command line.

        Raises:
            OptionError: always.
        """
        raise OptionError(f"{message}. See: {self.prog} --help")


#: Adds options or arguments to a parser.
Adder: TypeAlias = Callable[[Parser], None]


def parser(verb: str, description: str, epilog: str = "") -> Parser:
    """Return an empty parser for a verb."""
    return Parser(prog=f"ilk {verb}", description=description, epilog=epilog)


def paths(to: Parser, what: str = _PATHS, metavar: str = "PATH") -> None:
    """Add the documents."""
    to.add_argument("paths", nargs="+", metavar=metavar, help=what)


def add(to: Parser, *names: str, heading: str = "", **own: Option) -> None:
    """Add options.

    Args:
        to: a parser.
        names: of entries of the table.
        heading: of a new group for them; without it they join the options before.
        own: options of this verb alone, or under another default or help than in the table.
    """
    group = to.add_argument_group(heading) if heading else to
    for name in dict.fromkeys((*names, *own)):
        option = own.get(name) or OPTIONS[name]
        _add(group, name, option)
        to.entries[name] = option


def _add(to: argparse._ActionsContainer, name: str, option: Option) -> None:
    flags = ["--" + name.replace("_", "-")]
    if name == "output":
        flags.insert(0, "-o")
    shown = option.described.replace("%", "%%")
    if isinstance(option.kind, Flag):
        to.add_argument(*flags, dest=name, action="store_true", help=shown)
        return
    metavar = option.metavar
    if isinstance(option.kind, Choice):
        metavar = "{" + ",".join(map(str, option.kind.allowed)) + "}"
    more: dict[str, Any] = {"action": "append"} if option.repeated else {}
    if option.const is not None:
        more = {"nargs": "?", "const": option.const}
    # The library knows the defaults of its own options.
    known = name in OPTIONS and option.default == OPTIONS[name].default
    default = None if known else option.default
    to.add_argument(*flags, dest=name, metavar=metavar, default=default, help=shown, **more)


def group(*names: str, heading: str = "", **own: Option) -> Adder:
    """Return what adds these options; arguments as of ``add``."""
    return lambda to: add(to, *names, heading=heading, **own)


def argument(name: str, **words: Any) -> Adder:
    """Return what adds an argument without a name; ``words`` as of argparse."""

    def adder(to: Parser) -> None:
        to.add_argument(name, **words)

    return adder


def given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return what was said of these options, as the library takes it."""
    said = {name: getattr(args, name, None) for name in names}
    specs: list[str] | None = said.get("convert")
    if specs:
        from ilk.readers.files.converters import parse_convert

        said["convert"] = dict(parse_convert(spec) for spec in specs)
    return {name: value for name, value in said.items() if value is not None}


def sources(args: argparse.Namespace) -> list[Path]:
    """Return the paths as the library takes them."""
    return [Path(path) for path in args.paths]


def documents(args: argparse.Namespace, meter: Meter, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Return the documents that are named, batch by batch.

    Args:
        args: paths, ``jobs``, and what of ``DOCUMENTS`` was said.
        meter: follows the reading.
        tally: filled with what could not be read.
    """
    from ilk import readers
    from ilk.system.running import Running

    reading = readers.Reading.of(**given(args, *DOCUMENTS))
    return readers.read(sources(args), reading, Running.of(args.jobs, progress=meter), tally)


def formats(*allowed: str) -> Option:
    """Return the option of the forms that a verb prints in, the default first."""
    return Option(Choice(allowed), "how results are written", allowed[0])


def recipes(default: Recipe) -> Option:
    """Return the option of the recipe, with its default."""
    known = f"{OPTIONS['recipe'].help}: {', '.join(PRESETS)}"
    return changed("recipe", help=known, said=str(default))


def contained() -> Option:
    """Return the option of a containment that is always looked for."""
    return changed(
        "containment",
        default=CONTAINMENT,
        const=None,
        help="the least share of one that makes it contained in the other",
        said=None,
    )


def recipe(args: argparse.Namespace) -> Recipe | None:
    """Return the recipe that the options name; None where they name none.

    Raises:
        OptionError: it is no recipe, or what is given does not fit it.
    """
    weights = secret = None
    if getattr(args, "weights", None) is not None:
        from ilk.features.weights import Weights

        weights = Weights.read(args.weights)
    if args.secret is not None:
        secret = Path(args.secret).read_bytes()
    if args.recipe is not None:
        return Recipe.parse(args.recipe, weights=weights, secret=secret)
    if weights is not None or secret is not None:
        said = "--weights" if weights is not None else "--secret"
        raise OptionError(f"{said} says nothing without --recipe; name the recipe it is for.")
    return None


def changed(name: str, **fields: Any) -> Option:
    """Return an entry of the table with other words."""
    return replace(OPTIONS[name], **fields)


def pages_text(what: str = "the column of the pages' texts") -> Option:
    """Return the option of the one column of texts."""
    return changed("text", repeated=False, help=what)


def named(default: str | None, what: str, metavar: str) -> Option:
    """Return an option of one verb that is a name."""
    return Option(Text(), what, default, metavar)


def lines_of(mapping: Mapping[str, str]) -> str:
    """Return names and what they mean, a line each, for the text around the options."""
    width = max(map(len, mapping))
    return "\n".join(f"  {name:<{width}} {what}" for name, what in mapping.items())
