"""``ilk papers``: the experiments of the papers, published beside measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import IO

import pyarrow as pa

from ilk import papers, readers, writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, note, printable
from ilk.papers import frame
from ilk.recipes.recipe import SIMILARITY_INDEX
from ilk.system import resources

#: Where texts for the experiments are looked for, as seen from where the command is run.
_SHARED = Path("../shared/data")


def parser() -> argparse.ArgumentParser:
    """The options of the verb: a parser for every room."""
    made = options.parser(
        "papers",
        "Runs the experiment of a paper, and shows what was published beside what is measured.\n"
        "Without the name of a paper, lists them.",
    )
    rooms = made.add_subparsers(dest="room", metavar="NAME")
    for name, what in papers.ROOMS.items():
        shown = what.replace("%", "%%")
        room = rooms.add_parser(name, help=shown, description=shown, allow_abbrev=False)
        _ROOMS[name](room)
    return made


def run(args: argparse.Namespace) -> int:
    """Run a room, or one of its commands; return the exit code."""
    if args.room is None:
        for name, what in papers.ROOMS.items():
            print(f"{name:<14}{what}")
        return 0
    return int(args.command(args))


def _roth2011(room: argparse.ArgumentParser) -> None:
    room.add_argument(
        "--documents",
        type=Path,
        metavar="DIR",
        help="the folder of the paper's texts, named as in docs/explanation/roth2011.md (default: "
        f"{_SHARED}/roth-v1 if it is there, or else generated texts of the same sizes)",
    )
    room.add_argument(
        "--files",
        type=Path,
        metavar="PATH",
        help="10,000 texts, a folder or a Parquet file with a column text (default: "
        f"{_SHARED}/bench/corpus.parquet if it is there, or else generated texts)",
    )
    room.add_argument(
        "--highest",
        type=int,
        default=400,
        metavar="N",
        help="how many of the highest fingerprints methods 9 and 10 take (default: %(default)s; "
        "in one place the paper says 200)",
    )
    _add_seed(room, 2011)
    _add_out(room)
    room.set_defaults(command=_run_roth2011)
    commands = room.add_subparsers(metavar="COMMAND")
    index = commands.add_parser(
        "index",
        help="the paper's number of every document, as a column of 64 bits with a sign",
        description="Prints the number of every document: similar ones are within 30 %.\n"
        "The paper's range query over the table is said on stderr.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options.paths(index)
    index.add_argument(
        "--combination",
        default="43B 40 100",
        help="tracking number with variation, k and window (default: '%(default)s', the paper's "
        "first)",
    )
    options.add_reading(index)
    options.add_output(index, writers.FORMATS)
    index.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")
    index.set_defaults(command=_index_roth2011)


def _run_roth2011(args: argparse.Namespace) -> int:
    from ilk.papers.roth2011.methods import Parameters
    from ilk.papers.roth2011.run import run as experiment

    frame.check(args.out)
    documents = args.documents or _there(_SHARED / "roth-v1")
    files = args.files or _there(_SHARED / "bench" / "corpus.parquet")
    note(f"documents: {documents or 'generated'}; files: {files or 'generated'}", quiet=False)
    parameters = Parameters(highest=args.highest, seed=args.seed)
    return _show(experiment(documents, files, parameters), args.out)


def _index_roth2011(args: argparse.Namespace) -> int:
    from ilk.papers.roth2011 import index
    from ilk.papers.roth2011.methods import Combination

    writers.check(args.output)
    combination = Combination.parse(args.combination)
    meter, tally = Meter(args.quiet), readers.Tally()
    batches = readers.read(
        options.sources(args.paths),
        **options.reading(args),
        tally=tally,
        progress=meter,
    )
    found = index.table(batches, combination)
    meter.clear()
    readers.check(found, tally)
    if args.output is None:
        _write(args.format, found, sys.stdout.buffer)
    else:
        with writers.whole_file(args.output) as out:
            _write(args.format, found, out)
    for failure in tally.failures:
        note(f"not read: {failure.source}: {failure.reason}", args.quiet)
    note(f"in a database: {index.QUERY.format(table='documents')}", args.quiet)
    return 0


def _roth2013(room: argparse.ArgumentParser) -> None:
    room.add_argument(
        "--files",
        type=Path,
        metavar="DIR",
        help="the files, as make-corpus leaves them (default: made in memory of the documents of "
        f"{_SHARED} if it is there, or else of this machine)",
    )
    room.add_argument(
        "--count",
        type=int,
        default=20_476,
        metavar="N",
        help="how many files are made in memory (default: %(default)s)",
    )
    options.add_recipe(room, SIMILARITY_INDEX)
    _add_seed(room, 2013)
    _add_out(room)
    room.set_defaults(command=_run_roth2013)
    commands = room.add_subparsers(metavar="COMMAND")
    maker = commands.add_parser(
        "make-corpus",
        help="files, and beside every second one a modified copy",
        description="Writes every file of DIR into OUT, and beside every second one a copy with "
        "text inserted (NAME_i_43.txt: 43 %% of it) or deleted (NAME_d_17.txt).",
        allow_abbrev=False,
    )
    maker.add_argument("folder", type=Path, metavar="DIR", help="the files")
    maker.add_argument("target", type=Path, metavar="OUT", help="a folder, new or empty")
    _add_seed(maker, 2013)
    maker.set_defaults(command=_make_corpus)
    example = commands.add_parser(
        "example",
        help="the fingerprint of a text, step by step",
        description="Prints the paper's Table 1 for any text: V after each run of 3 characters.",
        allow_abbrev=False,
    )
    example.add_argument("text", metavar="TEXT", help="such as 'Hello world'")
    example.set_defaults(command=_example)


def _run_roth2013(args: argparse.Namespace) -> int:
    from ilk.papers.roth2013.run import run as experiment

    frame.check(args.out)
    shared = _SHARED if (_SHARED / "bench" / "corpus.parquet").exists() else None
    note(f"files: {args.files or shared or 'of this machine'}", quiet=False)
    report = experiment(
        args.files,
        shared,
        files=args.count,
        recipe=options.recipe(args) or SIMILARITY_INDEX,
        seed=args.seed,
        jobs=resources.threads(None),
    )
    return _show(report, args.out)


def _make_corpus(args: argparse.Namespace) -> int:
    from ilk.papers.roth2013 import copies

    made = copies.make(args.folder, args.target, args.seed)
    for name, reason in made.unread:
        note(f"not read: {name}: {reason}", quiet=False)
    total = made.originals + made.inserted + made.deleted
    print(
        f"{made.originals:,} files ({made.original_size / 1e6:,.1f} MB) -> {total:,} "
        f"({made.size / 1e6:,.1f} MB): {made.inserted:,} insertions, {made.deleted:,} deletions"
    )
    return 0


def _example(args: argparse.Namespace) -> int:
    from ilk.papers.roth2013.tables import worked

    print("\n".join(frame.lines(worked(args.text))))
    return 0


def _lecture(room: argparse.ArgumentParser) -> None:
    _add_seed(room)
    _add_out(room)
    room.set_defaults(command=_run_lecture)


def _run_lecture(args: argparse.Namespace) -> int:
    from ilk.papers.lecture.run import run as walk

    frame.check(args.out)
    return _show(walk(args.seed), args.out)


def _simhash_page(room: argparse.ArgumentParser) -> None:
    _add_seed(room)
    _add_out(room)
    room.set_defaults(command=_run_simhash_page)


def _run_simhash_page(args: argparse.Namespace) -> int:
    from ilk.papers.simhash_page.run import run as walk

    frame.check(args.out)
    return _show(walk(args.seed), args.out)


def _holub(room: argparse.ArgumentParser) -> None:
    _add_out(room)
    room.set_defaults(command=_run_holub)


def _run_holub(args: argparse.Namespace) -> int:
    from ilk.papers.holub.run import run as walk

    frame.check(args.out)
    return _show(walk(), args.out)


def _write(form: str, found: pa.Table, out: IO[bytes]) -> None:
    if form == "parquet":
        writers.write_parquet(found, out, {})
    elif form == "csv":
        writers.write_csv(found, out)
    elif form == "jsonl":
        writers.write_jsonl(writers.records(found), out)
    else:
        rows = writers.records(found)
        writers.write_lines((f"{r['si2011']:>21}  {printable(r['source'])}" for r in rows), out)


def _add_seed(room: argparse.ArgumentParser, default: int = 1) -> None:
    room.add_argument(
        "--seed",
        type=int,
        default=default,
        help="of what is drawn or generated (default: %(default)s)",
    )


def _add_out(room: argparse.ArgumentParser) -> None:
    room.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="save every table as CSV and every picture as PNG there (needs the extra plots)",
    )


def _there(path: Path) -> Path | None:
    return path if path.exists() else None


def _show(report: frame.Report, folder: Path | None) -> int:
    """Print what is to be read; save everything, if somewhere is named."""
    for exhibit in report.exhibits:
        if exhibit.printed:
            print("\n".join(frame.lines(exhibit)), end="\n\n")
    if folder is not None:
        for path in frame.save(report, folder):
            note(f"wrote {path}", quiet=False)
    return 0


#: What each room adds to its parser.
_ROOMS = {
    "roth2011": _roth2011,
    "roth2013": _roth2013,
    "lecture": _lecture,
    "simhash-page": _simhash_page,
    "holub": _holub,
}
