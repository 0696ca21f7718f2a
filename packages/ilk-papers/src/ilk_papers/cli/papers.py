"""``ilk papers``: the experiments of the papers, with published beside measured figures."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import ilk_papers as papers
from ilk.companions import read, resources, write
from ilk.plugins import (
    Flag,
    Option,
    OptionError,
    ReadReport,
    Whole,
    expect_steps_if_meter,
    note,
    options,
    output,
    printable,
)

if TYPE_CHECKING:
    from ilk_papers import frame

#: What the verb does.
SUMMARY = "repeat the experiments of the papers"


def _seed_option(default: int = 1) -> Option:
    return Option(Whole(), "of random choices", default, "SEED", default_phrase=str(default))


_OUT = options.make_text_option(
    None,
    "save every table as CSV and every picture as PNG there (needs the extra plots)",
    "DIR",
    refused_in_default_config=True,
)


def _number_of_extreme_fingerprints_option(
    extreme: Literal["highest", "lowest"], *, methods: str
) -> Option:
    return Option(
        Whole(1, unit="fingerprints"),
        f"how many of the {extreme} fingerprints methods {methods} use",
        400,
        "N",
        default_phrase="400; in one place the paper says 200",
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
    takes: tuple[options.Adder, ...] = ()
    help: str = ""
    more: str = ""


def parser() -> options.Parser:
    """Return the parser of the verb, with one for every paper and each of its commands."""
    verb = options.make_parser(
        "papers",
        "Runs the experiment of a paper, and shows published figures beside measured ones.\n"
        "Without the name of a paper, lists the papers.",
    )
    verb.set_defaults(command=_list_papers)
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
    return int(args.command(args))


def _list_papers(_: argparse.Namespace) -> int:
    for words, command in _COMMANDS.items():
        if " " not in words:
            print(f"{words:<14}{command.help or papers.ROOMS[words]}")
    return output.DONE


def _run_roth2011_or_zoned_documents(args: argparse.Namespace) -> int:
    from ilk_papers.roth2011.all_exhibits import STEPS, run, run_zoned
    from ilk_papers.roth2011.methods import Parameters

    out = _create_picture_folder_if_given(args.out)
    parameters = Parameters(highest=args.highest, lowest=args.lowest, seed=args.seed)
    if args.zones is not None:
        with output.show_progress(args) as meter:
            report = run_zoned(Path(args.zones), parameters, progress=meter)
        _print_and_save_if_folder_given(report, out)
        return output.DONE
    with output.show_progress(args) as meter:
        expect_steps_if_meter(meter, *STEPS)
        report = run(
            None if args.documents is None else Path(args.documents),
            None if args.files is None else Path(args.files),
            parameters,
            parts=dict(map(_parse_part, args.part or ())),
            progress=meter,
        )
    _print_and_save_if_folder_given(report, out)
    return output.DONE


def _run_all_and_print_or_write_page(args: argparse.Namespace) -> int:
    from ilk_papers import page
    from ilk_papers.holub import all_exhibits as holub
    from ilk_papers.lecture import all_exhibits as lecture
    from ilk_papers.roth2011 import all_exhibits as roth2011
    from ilk_papers.roth2011.methods import Parameters
    from ilk_papers.roth2013 import all_exhibits as roth2013
    from ilk_papers.simhash_page import all_exhibits as simhash_page

    folder = _create_picture_folder_if_given(args.html)
    jobs = resources.thread_count(None)
    rooms = roth2011, roth2013, lecture, simhash_page, holub
    with output.show_progress(args) as meter:
        expect_steps_if_meter(meter, *(step for room in rooms for step in room.STEPS))
        reports = {
            "roth2011": roth2011.run(None, None, Parameters(), progress=meter),
            "roth2013": roth2013.run(None, seed=2013, jobs=jobs, progress=meter),
            "lecture": lecture.run(1, progress=meter),
            "simhash-page": simhash_page.run(1, progress=meter),
            "holub": holub.run(progress=meter),
        }
    if folder is None:
        for report in reports.values():
            _print_and_save_if_folder_given(report, None)
        return output.DONE
    note(f"wrote {page.save_reports_with_page(reports, folder)}", quiet=False)
    return output.DONE


def _parse_part(name_and_path: str) -> tuple[str, Path]:
    """Return the name of a part of the documents, and its file."""
    name, equals, path = name_and_path.partition("=")
    if not equals:
        raise OptionError(f"--part is {name_and_path!r}; write NAME=FILE, such as java=Main.java.")
    return name, Path(path)


def _explain_and_print_or_write_page(args: argparse.Namespace) -> int:
    from ilk_papers import frame, page
    from ilk_papers.explain import explain_pair, explain_text

    folder = _create_picture_folder_if_given(args.html)
    one, other = _read_file_or_text(args.text), args.other and _read_file_or_text(args.other)
    steps = explain_pair(one, other, args.method) if other else explain_text(one, args.method)
    if folder is None:
        for each in steps:
            _print_exhibit_as_wide_as_terminal(each)
        return output.DONE
    parts = {f"explain-{at}": frame.Report([each]) for at, each in enumerate(steps, start=1)}
    titles = dict(zip(parts, (each.title for each in steps), strict=True))
    note(f"wrote {page.save_reports_with_page(parts, folder, titles)}", quiet=False)
    return output.DONE


def _read_file_or_text(path_or_text: str) -> str:
    """Return the text of a file, if there is one of that name, or what is given."""
    is_file = "\n" not in path_or_text and Path(path_or_text).is_file()
    return str(read.read_one_document(path_or_text)["text"][0].as_py()) if is_file else path_or_text


def _write_similarity_number_of_each_document(args: argparse.Namespace) -> int:
    from ilk_papers.roth2011 import index
    from ilk_papers.roth2011.methods import Combination

    combination, tally = Combination.parse(args.combination), ReadReport()
    output.set_format_by_output_name_if_missing(args, *output.FORMS)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        table = index.make_table_of_similarity_indices(
            options.read_documents(args, meter, tally), combination
        )
    rows = write.plain_rows(table)
    lines = (f"{row['si2011']:>21}  {printable(row['source'])}" for row in rows)
    output.write_result(args, lines, table)
    code = output.note_unread_and_return_error_if_strict(args, tally)
    note(f"in a database: {index.QUERY.format(table='documents')}", args.quiet)
    return code


def _run_roth2013(args: argparse.Namespace) -> int:
    from ilk_papers.roth2013.all_exhibits import STEPS
    from ilk_papers.roth2013.all_exhibits import run as experiment

    out = _create_picture_folder_if_given(args.out)
    with output.show_progress(args) as meter:
        expect_steps_if_meter(meter, *STEPS)
        report = experiment(
            None if args.files is None else Path(args.files),
            [Path(folder) for folder in args.documents or ()],
            max_files=args.generate,
            recipe=options.read_recipe_weights_and_secret_if_given(args),
            seed=args.seed,
            jobs=resources.thread_count(None),
            progress=meter,
        )
    _print_and_save_if_folder_given(report, out)
    return output.DONE


def _write_corpus_of_files_and_modified_copies(args: argparse.Namespace) -> int:
    from ilk_papers.roth2013 import copies

    corpus = copies.write_corpus_into_empty_folder(Path(args.folder), Path(args.target), args.seed)
    for name, reason in corpus.unread:
        note(f"not read: {name}: {reason}", quiet=False)
    total = corpus.originals + corpus.inserted + corpus.deleted
    print(
        f"{corpus.originals:,} files ({corpus.original_size / 1e6:,.1f} MB) -> {total:,} "
        f"({corpus.size / 1e6:,.1f} MB): {corpus.inserted:,} insertions, {corpus.deleted:,} "
        "deletions"
    )
    return output.DONE


def _print_2013_steps_of_text(args: argparse.Namespace) -> int:
    from ilk_papers.roth2013.tables import example_table

    _print_exhibit_as_wide_as_terminal(example_table(args.text))
    return output.DONE


def _run_lecture(args: argparse.Namespace) -> int:
    from ilk_papers.lecture.all_exhibits import SEARCH, SEEDS, STEPS, run

    out = _create_picture_folder_if_given(args.out)
    search = SEEDS if args.search else range(0)
    jobs = resources.thread_count(None)
    with output.show_progress(args) as meter:
        expect_steps_if_meter(meter, *STEPS, *((SEARCH,) if args.search else ()))
        report = run(args.seed, seeds_to_search=search, jobs=jobs, progress=meter)
    _print_and_save_if_folder_given(report, out)
    return output.DONE


def _run_paper_named_by_args(args: argparse.Namespace) -> int:
    """Run a paper that has a seed, or no options."""
    room = importlib.import_module(f"ilk_papers.{args.room.replace('-', '_')}.all_exhibits")
    out = _create_picture_folder_if_given(args.out)
    with output.show_progress(args) as meter:
        expect_steps_if_meter(meter, *room.STEPS)
        more = {"count": args.prints} if "prints" in args else {}
        report = room.run(*([args.seed] if "seed" in args else []), progress=meter, **more)
    _print_and_save_if_folder_given(report, out)
    return output.DONE


def _create_picture_folder_if_given(name: str | None) -> Path | None:
    """Return the folder for tables and pictures, created before any work; None without a name.

    Raises:
        MissingExtra: pictures need Matplotlib, which is not installed.
        OutputError: the folder cannot be created.
    """
    from ilk_papers import frame
    from ilk_papers.measure import plots

    if name is None:
        return None
    plots.refuse_without_matplotlib()
    frame.create_output_folder(Path(name))
    return Path(name)


def _print_exhibit_as_wide_as_terminal(exhibit: frame.Exhibit) -> None:
    """Print a table as wide as the terminal; elsewhere, of 80 columns."""
    from ilk_papers import frame

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    print("\n".join(frame.format_lines(exhibit, width)), end="\n\n")


def _print_and_save_if_folder_given(report: frame.Report, folder: Path | None) -> None:
    """Print the exhibits that are ``printed_at_terminal``; save all if there is a folder."""
    from ilk_papers import frame

    for exhibit in report.exhibits:
        if exhibit.printed_at_terminal:
            _print_exhibit_as_wide_as_terminal(exhibit)
    if folder is not None:
        for path in frame.save_report_as_csv_and_png(report, folder):
            note(f"wrote {path}", quiet=False)


#: Every paper of ``papers.ROOMS``, each followed by its commands.
_COMMANDS = {
    "roth2011": Command(
        _run_roth2011_or_zoned_documents,
        (
            options.option_adder(
                documents=options.make_text_option(
                    None,
                    "a folder with other editions of the paper's texts, named as in docs/"
                    "explanation/papers.md (default: those of the package)",
                    "DIR",
                    refused_in_default_config=True,
                ),
                part=replace(
                    options.make_text_option(
                        None,
                        "a file for a part of the documents, such as java, class or log, which are "
                        "generated otherwise; may be repeated",
                        "NAME=FILE",
                        refused_in_default_config=True,
                    ),
                    repeated=True,
                ),
                zones=options.make_text_option(
                    None,
                    "documents of your own in place of the paper's: lines with a path and the name "
                    "of its zone, separated by a tab",
                    "FILE",
                    refused_in_default_config=True,
                ),
                files=options.make_text_option(
                    None,
                    "10,000 texts, a folder or a Parquet file with a column text (default: "
                    "generated texts)",
                    "PATH",
                    refused_in_default_config=True,
                ),
                highest=_number_of_extreme_fingerprints_option("highest", methods="9 and 10"),
                lowest=_number_of_extreme_fingerprints_option("lowest", methods="7 and 8"),
                seed=_seed_option(2011),
                out=_OUT,
            ),
        ),
    ),
    "roth2011 index": Command(
        _write_similarity_number_of_each_document,
        (
            options.add_paths,
            options.option_adder(
                combination=options.make_text_option(
                    "43B 40 100",
                    "tracking number with variation, k and window; the default is the paper's best",
                    "WORDS",
                )
            ),
            options.option_adder(*options.DOCUMENTS, heading="input"),
            options.option_adder(*options.OUTPUT, *options.RUNNING, heading="output"),
        ),
        "the paper's number of every document, as a column of 64 bits with a sign",
        "Prints the number of every document: similar ones are within 30 %.\n"
        "The paper's range query over the table is printed on stderr.",
    ),
    "roth2013": Command(
        _run_roth2013,
        (
            options.option_adder(
                files=options.make_text_option(
                    None,
                    "the files that make-corpus wrote, or any others (default: made in memory, of "
                    "--documents)",
                    "DIR",
                    refused_in_default_config=True,
                ),
                documents=replace(
                    options.make_text_option(
                        None,
                        "a folder of text and Parquet files to make them of, with the "
                        "folders below; may be repeated (default: Python's own and /usr/share/doc)",
                        "DIR",
                        refused_in_default_config=True,
                    ),
                    repeated=True,
                ),
                generate=Option(
                    Whole(1, unit="files"),
                    "make at most this many files in memory (default: all there are)",
                    None,
                    "N",
                ),
                **options.recipe_option_changes(None)
                | {
                    "recipe": options.option_with_fields(
                        "recipe",
                        help="one more recipe beside those of the tables",
                        default_phrase="roth2013",
                        part=None,
                    )
                },
                seed=_seed_option(2013),
                out=_OUT,
            ),
        ),
    ),
    "roth2013 make-corpus": Command(
        _write_corpus_of_files_and_modified_copies,
        (
            options.argument_adder("folder", metavar="DIR", help="the files"),
            options.argument_adder("target", metavar="OUT", help="a folder, new or empty"),
            options.option_adder(seed=_seed_option(2013)),
        ),
        "files, and beside every second one a modified copy",
        "Writes every file of DIR into OUT, and beside every second one a copy with text\n"
        "inserted (NAME_i_43.txt: 43 % of it) or deleted (NAME_d_17.txt).",
    ),
    "roth2013 example": Command(
        _print_2013_steps_of_text,
        (options.argument_adder("text", metavar="TEXT", help="such as 'Hello world'"),),
        "the fingerprint of a text, step by step",
        "Prints the paper's Table 1 for any text: V after each run of 3 characters.",
    ),
    "lecture": Command(
        _run_lecture,
        (
            options.option_adder(
                search=Option(
                    Flag(),
                    "try all 2^32 seeds of the lecture's hash: some three minutes of a processor",
                    False,
                ),
                seed=_seed_option(),
                out=_OUT,
            ),
        ),
    ),
    "simhash-page": Command(
        _run_paper_named_by_args,
        (
            options.option_adder(
                prints=Option(Whole(1, unit="fingerprints"), "how many to search in", 20_000, "N"),
                seed=_seed_option(),
                out=_OUT,
            ),
        ),
    ),
    "all": Command(
        _run_all_and_print_or_write_page,
        (
            options.option_adder(
                html=options.make_text_option(
                    None,
                    "write one page of them all there, with tables and pictures (needs the extra "
                    "plots)",
                    "DIR",
                    refused_in_default_config=True,
                ),
            ),
        ),
        "every experiment, one after the other",
    ),
    "explain": Command(
        _explain_and_print_or_write_page,
        (
            options.argument_adder(
                "text", metavar="TEXT|FILE", help="any text, or the file that has it"
            ),
            options.argument_adder(
                "other",
                metavar="OTHER",
                nargs="?",
                help="a second text or file; both are explained, and then compared",
            ),
            options.option_adder(
                method=options.make_text_option(
                    "2013",
                    "43B, or another tracking number and variation of 2011, also with k and window "
                    "('43B 40 100'); 2013; lecture; holub; holub-super; or the name or string of a "
                    "recipe of words, such as default, similarity-index or manku2007",
                    "METHOD",
                ),
                html=options.make_text_option(
                    None,
                    "write a page with the steps there (needs the extra plots)",
                    "DIR",
                    refused_in_default_config=True,
                ),
            ),
        ),
        "every step from a text to its number, by any method",
    ),
    "holub": Command(_run_paper_named_by_args, (options.option_adder(out=_OUT),)),
}
