"""``ilk store VERB STORE ...``: a store, "do we have something like this already?"."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ilk.base.errors import IlkError, OptionError, StoreError, StoreFormatError
from ilk.base.kinds import Choice, Flag, Whole
from ilk.base.options import OF_LIKE, Option
from ilk.base.terminal import printable
from ilk.cli import options, output
from ilk.cli.exit_codes import ExitCode
from ilk.cli.options import Adder, argument_adder, option_adder
from ilk.fingerprints.recipe import Recipe
from ilk.read import ReadReport
from ilk.read.files.content import not_found_error
from ilk.search.measures import count_noun, format_percent

if TYPE_CHECKING:
    from ilk.store import Added, Match, Store
    from ilk.store.sync import Synced

#: The options of a new store.
CREATING = option_adder(
    *("resemblance", "shingle", "by", "as_", "ignore", "ignore_text", "noise"),
    heading="options of a new store",
    recipe={
        "help": "how fingerprints are made; refuses an existing store with another recipe",
        "default_phrase": "MinHash of 128 bits",
        "part": None,
    },
    texts=Option(Flag(), "also keep the texts", False),
    exact=Option(
        Flag(),
        "find every near-duplicate, by shingles, which takes more room; refuses an existing "
        "store that finds them by fingerprint",
    ),
)
_SEARCHING = option_adder(
    heading="what counts as like",
    resemblance={
        "default": None,
        "default_phrase": "the store's own",
        "idle_with": OF_LIKE["resemblance"].idle_with,
    },
    containment=options.CONTAINED,
    radius=OF_LIKE["radius"],
    similarity=OF_LIKE["similarity"],
    nearest={"usual": True},
)
_READ = option_adder(*options.DOCUMENTS, heading="input")
_FILES = option_adder(*options.WALKS, *options.FILES, heading="input")
_FORM = option_adder(format=options.format_option_fields("table", "jsonl"))
_RUNNING = option_adder(*options.RUNNING, heading="running")
_ID = argument_adder("id", type=int, metavar="ID", help="the number of the document")


def _file_argument_adder(help_text: str) -> Adder:
    return argument_adder("file", metavar="FILE", help=help_text)


def new_store_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a new store, for ``Store``."""
    chosen = options.given_library_arguments(
        args, "resemblance", "shingle", "by", "as_", "ignore", "ignore_text", "noise", "jobs"
    )
    if args.recipe is not None:
        chosen["recipe"] = Recipe.parse(args.recipe)
    # An existing store may be of either kind, unless one is requested.
    return chosen | {"texts": args.texts or None, "exact": args.exact or None}


def open_or_make_store(args: argparse.Namespace) -> Store:
    """Return the named store; created if missing, by a verb that adds to it."""
    from ilk.store import Store

    if args.makes:
        return Store(args.store, **new_store_options(args))
    return Store(args.store, create=False, jobs=getattr(args, "jobs", None))


#: Files of each kind that ``sync`` shows.
_FILES_SHOWN = 20

#: Options of ``Store.check`` for what counts as like.
_LIKE = ("resemblance", "containment", "radius", "similarity", "nearest")


def _print_matches_of_documents(args: argparse.Namespace, store: Store) -> ExitCode:
    alike, tally, chosen = False, ReadReport(), options.given_library_arguments(args, *_LIKE)
    with output.show_progress(args) as meter:
        for batch in options.read_documents(args, meter, tally, store.cache):
            sources = batch["source"].to_pylist()
            meter.clear()
            for source, matches in zip(sources, store.check_many(batch, **chosen), strict=True):
                alike = alike or bool(matches)
                headline = _match_headline(len(matches), nearest=args.nearest is not None)
                record = {"source": source, "matches": [match.to_dict() for match in matches]}
                lines = [
                    *output.wrap_line_for_terminal(
                        f"{_spell_id_and_source(None, source)}: {headline}"
                    ),
                    *_match_lines(matches),
                ]
                output.print_record_or_lines(args, record, lines)
    return output.note_unread_and_return_error_if_strict(args, tally) or (
        output.DONE if alike else output.NOTHING
    )


def _match_headline(count: int, *, nearest: bool) -> str:
    if not nearest:
        return f"like {count_noun(count, 'document') if count else 'nothing'}"
    if not count:
        return "shares nothing with any document"
    return "the nearest document" if count == 1 else f"the {count:,} nearest documents"


def _add_and_print_documents(args: argparse.Namespace, store: Store) -> ExitCode:
    import pyarrow as pa

    tally, count, refused_count = ReadReport(), 0, 0
    try:
        with output.show_progress(args) as meter:
            for batch in options.read_documents(args, meter, tally, store.cache):
                sources = batch["source"].to_pylist()
                if args.id is not None:  # Ids of the user are metadata.
                    ids = (None if it is None else {args.id: it} for it in batch["id"].to_pylist())
                    metadata = pa.array([it and json.dumps(it) for it in ids], pa.string())
                    batch = batch.append_column("metadata", metadata)
                every = store.add_many(batch, on_duplicate=args.on_duplicate)
                refused_count += sum(added.id is None for added in every)
                count += sum(added.id is not None for added in every)
                meter.clear()
                for source, added in zip(sources, every, strict=True):
                    _print_added_document(args, source, added)
                sys.stdout.flush()
    except IlkError as error:
        if not count:
            raise
        kept = count_noun(count, "document")
        raise StoreError(f"{error} Added before this, and kept: {kept}.") from error
    return output.note_unread_and_return_error_if_strict(args, tally) or (
        output.NOTHING if refused_count else output.DONE
    )


def _update_and_print_document(args: argparse.Namespace, store: Store) -> None:
    from ilk.store.records import parse_metadata

    names: dict[str, Any] = options.given_library_arguments(args, "source", "title", "metadata")
    if "metadata" in names:
        names["metadata"] = parse_metadata(args.metadata)
    updated = store.update(args.id, None if args.path is None else Path(args.path), **names)
    _print_added_document(args, store[args.id].source, updated)


def _print_similar_documents(args: argparse.Namespace, store: Store) -> ExitCode:
    matches = store.similar(args.id, **options.given_library_arguments(args, *_LIKE))
    for match in matches:
        output.print_record_or_lines(args, match.to_dict(), _match_lines([match]))
    return output.DONE if matches else output.NOTHING


def _print_documents(args: argparse.Namespace, store: Store) -> None:
    for record in store:
        output.print_record_or_lines(
            args, record.to_dict(), [_spell_id_and_source(record.id, record.source)]
        )


def _print_clusters(args: argparse.Namespace, store: Store) -> None:
    for number, ids in enumerate(store.clusters()):
        sources = store.sources(ids)
        members = [{"id": id_, "source": sources[id_]} for id_ in ids]
        keeper, *others = [_spell_id_and_source(id_, sources[id_]) for id_ in ids]
        below = [output.line_with_shortened_name(name, " " * 10) for name in others]
        record = {"cluster": number, "keeper": ids[0], "members": members}
        output.print_record_or_lines(
            args,
            record,
            [
                count_noun(len(ids), "document"),
                output.line_with_shortened_name(keeper, "   keep   "),
                *below,
                "",
            ],
        )


def _sync_folder_and_print_changes(args: argparse.Namespace, store: Store) -> ExitCode:
    tally = ReadReport()
    with output.show_progress(args) as meter:
        names = options.given_library_arguments(args, *options.WALKS, *options.FILES)
        outcome = store.sync(args.folder, **names, tally=tally, progress=meter)
    kinds = ("new", "changed", "moved", "vanished")
    counts = {kind: len(getattr(outcome, kind)) for kind in kinds} | {
        "unchanged": outcome.unchanged
    }
    if args.format == "jsonl":
        _print_all_changed_files(args, outcome)
    else:
        _print_some_changed_files(args, outcome)
    line = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    output.print_record_or_lines(args, {"summary": counts}, [f"files: {line}"])
    return output.note_unread_and_return_error_if_strict(args, tally)


def _print_all_changed_files(args: argparse.Namespace, outcome: Synced) -> None:
    for kind, files in (("new", outcome.new), ("changed", outcome.changed)):
        for file in files:
            _print_added_document(args, file.source, file.added, kind)
    for moved in outcome.moved:
        output.print_record_or_lines(args, {"file": "moved", **moved._asdict()}, [])
    for name in outcome.vanished:
        output.print_record_or_lines(args, {"file": "vanished", "source": name}, [])


def _print_some_changed_files(args: argparse.Namespace, outcome: Synced) -> None:
    """Print of each kind the first files; where there are many, those that are like another.

    Most files of a first synchronisation are new, and like nothing.
    """
    for kind, files in (("new", outcome.new), ("changed", outcome.changed)):
        alike = [file for file in files if file.added.matches]
        listed = (files if len(files) <= _FILES_SHOWN else alike)[:_FILES_SHOWN]
        for file in listed:
            _print_added_document(args, file.source, file.added, kind)
        rest = len(alike) - sum(bool(file.added.matches) for file in listed)
        _print_count_of_unlisted(
            len(files) - len(listed), f"{kind}, {rest:,} of them like another document"
        )
    for moved in outcome.moved[:_FILES_SHOWN]:
        print(output.line_with_shortened_name(printable(moved.was or ""), "moved: "))
        print(output.line_with_shortened_name(printable(moved.source), "    -> "))
    _print_count_of_unlisted(len(outcome.moved) - _FILES_SHOWN, "moved")
    for name in outcome.vanished[:_FILES_SHOWN]:
        print(output.line_with_shortened_name(printable(name), "vanished: "))
    _print_count_of_unlisted(len(outcome.vanished) - _FILES_SHOWN, "vanished")


def _print_count_of_unlisted(count: int, noun: str) -> None:
    """Print how many files are not shown, and what shows them."""
    if count > 0:
        for line in output.wrap_line_for_terminal(
            f"and {count:,} more {noun}; --format jsonl has all of them"
        ):
            print(line)


def _print_stats(args: argparse.Namespace, store: Store) -> None:
    numbers, lines = store.stats(), []
    for name, value in numbers.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        lines.append(f"{name.replace('_', ' '):<20}{shown}")
    output.print_record_or_lines(args, numbers, lines)


def _export_documents_to_parquet(args: argparse.Namespace, store: Store) -> None:
    import pyarrow.parquet as pq

    from ilk.write import whole_file

    if Path(args.file).suffix != ".parquet":
        raise OptionError(f"the name {args.file!r} must end in .parquet.")
    output.refuse_unwritable_file(args, args.file)
    rows = 0
    with (
        store.to_arrow(evidence=True) as documents,
        whole_file(Path(args.file)) as out,
        pq.ParquetWriter(out, documents.schema, compression="zstd") as parquet,
    ):
        for batch in documents:
            parquet.write_batch(batch)
            rows += len(batch)
    print(f"{count_noun(rows, 'document')} written")


def _import_documents_or_evidence(args: argparse.Namespace, store: Store) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not os.path.exists(args.file):
        raise not_found_error(args.file, "what `ilk store export` wrote")
    try:
        has_texts = Path(args.file).is_file() and "text" in pq.read_schema(args.file).names
        # Its evidence is made again: this store may count other things, or keep the texts.
        documents = pq.read_table(args.file, use_threads=False) if has_texts else None
    except pa.ArrowException as error:
        raise StoreFormatError(f"{args.file} is not a Parquet file: {error}.") from error
    added = store.add_evidence(args.file) if documents is None else len(store.add_many(documents))
    print(f"{count_noun(added, 'document')} added")


def _merge_stores_into_output_store(args: argparse.Namespace, store: Store) -> None:
    merged = store.merge(args.others, args.output)
    print(f"{count_noun(merged.documents, 'document')} written")
    if merged.shared_sources:
        names = count_noun(merged.shared_sources, "source")
        print(f"{names} in more than one of the stores: all their documents are there")


def _validate_store_and_print_problems(args: argparse.Namespace, store: Store) -> ExitCode:
    validated = store.validate(args.sample)
    record = asdict(validated)
    counts = (f"{n:,} {what.replace('_', ' ')}" for what, n in record.items() if what != "problems")
    output.print_record_or_lines(
        args, record, [*validated.problems, f"looked at: {', '.join(counts)}"]
    )
    return output.ERROR if validated.problems else output.DONE


def _print_added_document(
    args: argparse.Namespace, source: str | None, addition: Added, file_change: str | None = None
) -> None:
    """Print what happened to a document, and what it is like; with ``sync``, how its file changed:
    ``new`` or ``changed``.
    """
    matches = [match.to_dict() for match in addition.matches]
    record = {"id": addition.id, "source": source, "matches": matches}
    name = _spell_id_and_source(addition.id, source) + (
        " was refused" if addition.id is None else ""
    )
    if file_change is not None:
        record, name = {"file": file_change, **record}, f"{file_change}: {name}"
    output.print_record_or_lines(
        args, record, [output.line_with_shortened_name(name), *_match_lines(addition.matches)]
    )


def _match_lines(matches: Iterable[Match]) -> Iterator[str]:
    from ilk.arrow import verdicts

    for match in matches:
        measure = match.resemblance if match.agreement is None else match.agreement
        share = "      " if measure is None else f"{format_percent(measure):>6}"
        if match.verdict == verdicts.NEAR and match.resemblance == 1:
            share = "same runs, but not the same text"
        bits = "" if match.distance is None else count_noun(match.distance, "bit")
        begin = f"  {match.verdict:<12}  {share}  {bits:>8}  "
        yield output.line_with_shortened_name(_spell_id_and_source(match.id, match.source), begin)


def _spell_id_and_source(id_: int | None, source: str | None) -> str:
    name = "" if id_ is None else f"#{id_}"
    return f"{name} {printable(source or '')}".strip()


class StoreVerb(NamedTuple):
    """A verb of a store: what it does, its function, its options, whether it makes a store."""

    help: str
    run: Callable[[argparse.Namespace, Store], int | None]
    takes: tuple[Adder, ...]
    makes: bool = False


_ON_DUPLICATE = Option(
    Choice(("report", "refuse", "link")),
    "what to do with a document that is like a stored one (report: add it, and report the match; "
    "refuse: do not add it, and report the match; link: add it, linked to the stored one)",
    "report",
)
_SAMPLE = Option(
    Whole(unit="documents"),
    "how many members of clusters to measure again, and texts to fingerprint again",
    1000,
    "N",
)
_NAMES = option_adder(
    source=options.make_text_option(None, "its source", "NAME"),
    title=options.make_text_option(None, "its title", "NAME"),
    metadata=options.make_text_option(None, 'plain values, such as {"year": 2011}', "JSON"),
)
_NEW_TEXT = argument_adder(
    "path", nargs="?", metavar="PATH", help="a file with its text, or - for stdin"
)
_IDS = argument_adder("ids", nargs="+", type=int, metavar="ID", help="the number of a document")
_FOLDER = argument_adder("folder", metavar="DIR", help="a folder, which is read recursively")

#: Every verb by its name.
VERBS = {
    "check": StoreVerb(
        "show what documents are like, without storing them",
        _print_matches_of_documents,
        (options.add_paths, _SEARCHING, _READ, _FORM, _RUNNING),
    ),
    "add": StoreVerb(
        "add documents, and show what each is like",
        _add_and_print_documents,
        (
            options.add_paths,
            CREATING,
            option_adder(on_duplicate=_ON_DUPLICATE),
            _READ,
            _FORM,
            _RUNNING,
        ),
        makes=True,
    ),
    "update": StoreVerb(
        "change the text or the names of a document",
        _update_and_print_document,
        (_ID, _NEW_TEXT, _NAMES, _FORM),
    ),
    "remove": StoreVerb("remove documents", lambda args, store: store.remove(args.ids), (_IDS,)),
    "similar": StoreVerb(
        "show what a stored document is like", _print_similar_documents, (_ID, _SEARCHING, _FORM)
    ),
    "list": StoreVerb("list all documents", _print_documents, (_FORM,)),
    "clusters": StoreVerb("list the clusters of two or more documents", _print_clusters, (_FORM,)),
    "sync": StoreVerb(
        "update the store from a folder, and show what is new and what it is like",
        _sync_folder_and_print_changes,
        (_FOLDER, CREATING, _FILES, _FORM, _RUNNING),
        makes=True,
    ),
    "export": StoreVerb(
        "write every document to a Parquet file, with what is kept of its text to compare it, and "
        "the text if the store keeps texts",
        _export_documents_to_parquet,
        (_file_argument_adder("ends in .parquet"), option_adder("force")),
    ),
    "import": StoreVerb(
        "add the documents of an exported file, or of a table that `ilk_spark.Incremental` made; "
        "without texts, what is kept of them to compare them is enough",
        _import_documents_or_evidence,
        (
            _file_argument_adder("what export wrote, or the folder of the table"),
            CREATING,
            option_adder("jobs"),
        ),
        makes=True,
    ),
    "backup": StoreVerb(
        "copy the store, even while it is in use",
        lambda args, store: store.backup(args.file),
        (_file_argument_adder("a file that does not exist yet"),),
    ),
    "merge": StoreVerb(
        "write a new store of this one and others that were made alike, without their texts",
        _merge_stores_into_output_store,
        (
            argument_adder("others", nargs="+", metavar="OTHER", help="the file of another store"),
            option_adder(
                output={"required": True, "help": "the new store, which does not exist yet"}
            ),
        ),
    ),
    "validate": StoreVerb(
        "look for damage", _validate_store_and_print_problems, (option_adder(sample=_SAMPLE), _FORM)
    ),
    "rebuild": StoreVerb(
        "rebuild the indexes from the documents", lambda _, store: store.rebuild(), ()
    ),
    "stats": StoreVerb("show how much is stored, and how it is compared", _print_stats, (_FORM,)),
}


def parser() -> options.Parser:
    store = options.make_parser_with_help_file("store")
    store.set_defaults(command=None)
    verbs = store.add_subparsers(metavar="VERB")
    for name, (what, command, takes, makes) in VERBS.items():
        verb = verbs.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        verb.add_argument("store", metavar="STORE", help="the file of the store")
        verb.set_defaults(command=command, makes=makes)
        for adder in takes:
            adder(verb)
    return store


def run(args: argparse.Namespace) -> ExitCode:
    if args.command is None:
        parser().print_help(sys.stderr)
        return output.ERROR
    makes = args.makes and not os.path.exists(args.store)
    try:
        with open_or_make_store(args) as store:
            code: int | None = args.command(args, store)
    except BaseException:
        if makes and os.path.exists(args.store):  # Where nothing was, nothing is left.
            from ilk.store.db.file import remove_store_if_unused

            remove_store_if_unused(Path(args.store))
        raise
    return output.DONE if code is None else code
