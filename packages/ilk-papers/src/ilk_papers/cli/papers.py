"""``ilk papers``: the experiments of the papers, with published beside measured figures."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import ilk_papers as papers
from ilk import read, write
from ilk.base import resources
from ilk.base.kinds import Flag, Whole
from ilk.base.meter import Meter
from ilk.base.options import Option
from ilk.cli import options, output
from ilk.cli.options import Adder, argument, group
from ilk.cli.progress import note, printable

if TYPE_CHECKING:
    from ilk_papers import frame

#: What the verb does.
SUMMARY = "repeat the experiments of the papers"

#: Where to look for texts for the experiments, relative to the working folder.
_SHARED = Path("../shared/data")


def _seed(default: int = 1) -> Option:
    return Option(Whole(), "of random choices", default, "SEED", said=str(default))


_OUT = options.named(
    None, "save every table as CSV and every picture as PNG there (needs the extra plots)", "DIR"
)


class Command(NamedTuple):
    """A paper, or a command of one: what it runs, and its options.

    Attributes:
        run: the function that runs it.
        takes: its arguments and options.
        help: what it does, in a line; for a paper, it is in ``papers.ROOMS``.
        more: a longer description, if there is one.
    """

    run: Callable[[argparse.Namespace], int]
    takes: tuple[Adder, ...] = ()
    help: str = ""
    more: str = ""


def parser() -> options.Parser:
    """Return the parser of the verb, with one for every paper and each of its commands."""
    verb = options.parser(
        "papers",
        "Runs the experiment of a paper, and shows published figures beside measured ones.\n"
        "Without the name of a paper, lists the papers.",
    )
    groups = {"": verb.add_subparsers(dest="room", metavar="NAME")}
    for words, command in _COMMANDS.items():
        room, _, name = words.rpartition(" ")
        what = command.help or papers.ROOMS[name]
        below = groups[room].add_parser(
            name, help=what.replace("%", "%%"), description=command.more or what
        )
        for adder in command.takes:
            adder(below)
        below.set_defaults(command=command.run)
        if any(other.startswith(f"{words} ") for other in _COMMANDS):
            groups[words] = below.add_subparsers(metavar="COMMAND")
    return verb


def run(args: argparse.Namespace) -> int:
    """Run a paper, or one of its commands; return the exit code."""
    if args.room is None:
        for name, what in papers.ROOMS.items():
            print(f"{name:<14}{what}")
        return output.DONE
    return int(args.command(args))


def _roth2011(args: argparse.Namespace) -> int:
    from ilk_papers.roth2011.methods import Parameters
    from ilk_papers.roth2011.run import run as experiment

    out = _checked(args)
    documents = _chosen(args.documents, _SHARED / "roth-v1")
    files = _chosen(args.files, _SHARED / "bench" / "corpus.parquet")
    note(f"documents: {documents or 'generated'}; files: {files or 'generated'}", quiet=False)
    parameters = Parameters(highest=args.highest, seed=args.seed)
    return _show(experiment(documents, files, parameters), out)


def _index(args: argparse.Namespace) -> int:
    from ilk_papers.roth2011 import index
    from ilk_papers.roth2011.methods import Combination

    combination, tally = Combination.parse(args.combination), read.Tally()
    with output.working(args, *output.FORMS) as meter:
        table = index.table(options.documents(args, meter, tally), combination)
    rows = write.plain_rows(table)
    lines = (f"{row['si2011']:>21}  {printable(row['source'])}" for row in rows)
    output.write(args, lines, table)
    code = output.unread(args, tally)
    note(f"in a database: {index.QUERY.format(table='documents')}", args.quiet)
    return code


def _roth2013(args: argparse.Namespace) -> int:
    from ilk_papers.roth2013.run import run as experiment

    out = _checked(args)
    with _followed() as meter:
        report = experiment(
            None if args.files is None else Path(args.files),
            [Path(folder) for folder in args.documents or ()],
            files=args.count,
            recipe=options.recipe(args),
            seed=args.seed,
            jobs=resources.threads(None),
            progress=meter,
        )
    return _show(report, out)


def _make_corpus(args: argparse.Namespace) -> int:
    from ilk_papers.roth2013 import copies

    corpus = copies.make(Path(args.folder), Path(args.target), args.seed)
    for name, reason in corpus.unread:
        note(f"not read: {name}: {reason}", quiet=False)
    total = corpus.originals + corpus.inserted + corpus.deleted
    print(
        f"{corpus.originals:,} files ({corpus.original_size / 1e6:,.1f} MB) -> {total:,} "
        f"({corpus.size / 1e6:,.1f} MB): {corpus.inserted:,} insertions, {corpus.deleted:,} "
        "deletions"
    )
    return output.DONE


def _example(args: argparse.Namespace) -> int:
    from ilk_papers import frame
    from ilk_papers.roth2013.tables import worked

    print("\n".join(frame.lines(worked(args.text))))
    return output.DONE


def _lecture(args: argparse.Namespace) -> int:
    from ilk_papers.lecture.run import SEEDS, run

    out = _checked(args)
    search = SEEDS if args.search else range(0)
    jobs = resources.threads(None)
    with _followed() as meter:
        report = run(args.seed, search=search, jobs=jobs, progress=meter)
    return _show(report, out)


def _walk(args: argparse.Namespace) -> int:
    """Run a paper that has a seed, or no options."""
    room = importlib.import_module(f"ilk_papers.{args.room.replace('-', '_')}.run")
    out = _checked(args)
    with _followed() as meter:
        report = room.run(*([args.seed] if "seed" in args else []), progress=meter)
    return _show(report, out)


@contextmanager
def _followed() -> Iterator[Meter]:
    """Show the line of progress on a terminal, and clear it at the end in any case."""
    meter = Meter(sys.stderr.isatty())
    try:
        yield meter
    finally:
        meter.clear()


def _chosen(named: str | None, usual: Path) -> Path | None:
    """Return the given path, or the usual one, if it exists."""
    if named is not None:
        return Path(named)
    return usual if usual.exists() else None


def _checked(args: argparse.Namespace) -> Path | None:
    """Return the folder for tables and pictures; refuse one that cannot be written to."""
    from ilk_papers import frame

    folder = None if args.out is None else Path(args.out)
    frame.check(folder)
    return folder


def _show(report: frame.Report, folder: Path | None) -> int:
    """Print tables; save everything, if a folder is given."""
    from ilk_papers import frame

    for exhibit in report.exhibits:
        if exhibit.printed:
            print("\n".join(frame.lines(exhibit)), end="\n\n")
    if folder is not None:
        for path in frame.save(report, folder):
            note(f"wrote {path}", quiet=False)
    return output.DONE


#: Every paper of ``papers.ROOMS``, each followed by its commands.
_COMMANDS = {
    "roth2011": Command(
        _roth2011,
        (
            group(
                documents=options.named(
                    None,
                    "the folder of the paper's texts, named as in docs/explanation/roth2011.md "
                    f"(default: {_SHARED}/roth-v1 if it exists, or else generated texts of the "
                    "same sizes)",
                    "DIR",
                ),
                files=options.named(
                    None,
                    "10,000 texts, a folder or a Parquet file with a column text (default: "
                    f"{_SHARED}/bench/corpus.parquet if it exists, or else generated texts)",
                    "PATH",
                ),
                highest=Option(
                    Whole(1, unit="fingerprints"),
                    "how many of the highest fingerprints methods 9 and 10 use",
                    400,
                    "N",
                    said="400; in one place the paper says 200",
                ),
                seed=_seed(2011),
                out=_OUT,
            ),
        ),
    ),
    "roth2011 index": Command(
        _index,
        (
            options.paths,
            group(
                combination=options.named(
                    "43B 40 100",
                    "tracking number with variation, k and window; the default is the paper's best",
                    "WORDS",
                )
            ),
            group(*options.DOCUMENTS, heading="input"),
            group(*options.OUTPUT, *options.RUNNING, heading="output"),
        ),
        "the paper's number of every document, as a column of 64 bits with a sign",
        "Prints the number of every document: similar ones are within 30 %.\n"
        "The paper's range query over the table is printed on stderr.",
    ),
    "roth2013": Command(
        _roth2013,
        (
            group(
                *options.RECIPE,
                files=options.named(
                    None,
                    "the files that make-corpus wrote, or any others (default: made in memory, of "
                    "--documents)",
                    "DIR",
                ),
                documents=replace(
                    options.named(
                        None,
                        "a folder of text and Parquet files of which they are made, with the "
                        "folders below; may be repeated (default: Python's own and /usr/share/doc)",
                        "DIR",
                    ),
                    repeated=True,
                ),
                count=Option(
                    Whole(1, unit="files"), "how many files to make in memory", 20_476, "N"
                ),
                recipe=options.changed(
                    "recipe",
                    help="one more recipe beside those of the tables; --recipe roth2013 is first",
                    said="roth2013",
                ),
                seed=_seed(2013),
                out=_OUT,
            ),
        ),
    ),
    "roth2013 make-corpus": Command(
        _make_corpus,
        (
            argument("folder", metavar="DIR", help="the files"),
            argument("target", metavar="OUT", help="a folder, new or empty"),
            group(seed=_seed(2013)),
        ),
        "files, and beside every second one a modified copy",
        "Writes every file of DIR into OUT, and beside every second one a copy with text\n"
        "inserted (NAME_i_43.txt: 43 % of it) or deleted (NAME_d_17.txt).",
    ),
    "roth2013 example": Command(
        _example,
        (argument("text", metavar="TEXT", help="such as 'Hello world'"),),
        "the fingerprint of a text, step by step",
        "Prints the paper's Table 1 for any text: V after each run of 3 characters.",
    ),
    "lecture": Command(
        _lecture,
        (
            group(
                search=Option(
                    Flag(),
                    "try all 2^32 seeds of the lecture's hash: some three minutes of a processor",
                    False,
                ),
                seed=_seed(),
                out=_OUT,
            ),
        ),
    ),
    "simhash-page": Command(_walk, (group(seed=_seed(), out=_OUT),)),
    "holub": Command(_walk, (group(out=_OUT),)),
}
