"""Every passage that occurs at two places in a collection."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk import read as readers
from ilk.arrow import flat
from ilk.base.arguments import refuse_idle_or_unknown_arguments
from ilk.base.checkpoints import WorkFolder, resumable_work_folder
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.base.json_text import parse_json
from ilk.base.kinds import SizeRange
from ilk.base.options import OPTIONS, check_option, default
from ilk.base.progress import Progress, Step, StepTimer, accept_true_as_progress
from ilk.base.run_options import Running
from ilk.fingerprints.blocks import COMMON_BLOCKS, CountedBlocks
from ilk.fingerprints.digest import (
    first_rows_with_same_digest_or_null,
    mark_representatives,
    text_digests_null_if_blank,
)
from ilk.read import Collection, Reading, ReadReport, paths_or_none_if_texts
from ilk.read.documents import is_file_of_rows
from ilk.read.files.walk import STDIN
from ilk.read.formats.parts import Limits
from ilk.read.reference import ReferenceCheck
from ilk.read.rows.dataset import FileStamp
from ilk.read.rows.opening import open_data_set
from ilk.search.base_text import read_base_texts_with_programs_as_words
from ilk.search.counting import Counting
from ilk.search.evidence import RUN_WORDS
from ilk.search.measures import count_noun
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.search.passages import byte_spans_of_runs
from ilk.search.programs import (
    AsCode,
    ProgramTexts,
    check_as_code_if_given,
    describe_sources_compared_as_text,
)
from ilk.search.report import report_head
from ilk.store.reference import TextsOfStore
from ilk.tasks.passages.contamination import (
    all_sources_name_rows,
    find_sets_without_text_and_reasons,
    sentences_on_sets_without_column,
)
from ilk.tasks.passages.result import Passages
from ilk.tasks.passages.writing import ReadCollection
from ilk.tasks.report import rank_common_blocks_if_sought
from ilk.tasks.steps import progress_steps_of_reading_sources
from ilk.tasks.stored_reference import store_of_reference_or_none

#: The step that reads, and where its table holds what is reported of the reading, as JSON: a work
#: folder keeps tables alone.
_STEP, _REPORT_KEY = "documents", b"ilk.read"

_NAMES = ["doc", "source", "id"]
_KNOWN = pa.schema(
    [*(arrow.DOCUMENTS.field(name) for name in (*_NAMES, "modified")), ("length", pa.int64())]
)

#: ``_KNOWN``, with what is reported of the reading in its metadata, at ``_REPORT_KEY``.
_DocumentsWithReportInMetadata: TypeAlias = pa.Table

#: Groups that need no column: by file, and by the folder of the file.
_SOURCE, _FOLDER = "source", "folder"

#: The least number of words in a passage, by default: a run of words, and any other unit.
_LEAST_WORDS, _LEAST_WORDS_OF_UNIT = 50, 5

#: Units of fewer words are not compared: two words hold the 128 bits of a unit's digest.
_FEWEST_WORDS_OF_UNIT = 2

_ROW = re.compile(r"#\d+$")


class _ReferenceCollection(NamedTuple):
    """The other collection of ``against``.

    Attributes:
        collection: its documents.
        source: where they are read again: as it was given, or the path of a store.
        reading: how they are read.
        store_texts: those of the store that they come from; None for other documents.
    """

    collection: Collection
    source: Any
    reading: Reading
    store_texts: TextsOfStore | None = None


@refuse_idle_or_unknown_arguments(
    option_overrides={"containment": replace(OPTIONS["containment"], needs=("against",))}
)
@accept_true_as_progress
def passages(
    source: Any,
    *,
    across: str | None = None,
    against: Any = None,
    containment: str | float | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    memory: str | int | None = None,
    work: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # Parameters passages, by scripts/make-signatures.
    words: int | None = None,
    unit: str | None = "words",
    as_: str | None = None,
    common_blocks: int | None = None,
    against_text: str | Sequence[str] | None = None,
    text: str | Sequence[str] | None = "text",
    id: str | None = None,
    encoding: str | None = None,
    rows: bool = False,
    folder_as_document: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    links: bool = False,
    gitignore: bool = False,
    no_hidden: bool = False,
    one_file_system: bool = False,
    size: str | SizeRange | None = None,
    newer: str | datetime | None = None,
    older: str | datetime | None = None,
    depth: int | None = None,
    # End of what is written.
) -> Passages:
    """Find every passage: every run of words that occurs at two places, without exception.

    Words are compared folded, so that case, white space and punctuation do not count. No run
    crosses the end of a document. With ``unit``, whole lines, sentences or paragraphs are compared:
    they are equal if they have the same words, and a run is one or more of them.

    Args:
        source: a path or a list of paths (folders are read recursively; files with an extension for
            rows, row by row), a list of texts, a column of texts, or a table.
        against: another collection, given like ``source``; only passages that are in it too count.
            Of a store (its path, or ``ilk.Store``), which must keep its texts, every text is read.
            A list of several is read as one.
        containment: in ``contamination``, also count an item, a row of ``against``, if at least
            this share of its shingles is in one document; only with ``against``.
        ignore_text: a base text, such as a template, a hand-out or a licence: files, folders or
            rows. As many words in a row as a passage needs are no passage if they stand in it; one
            with other words besides is.
        memory: the most memory that the process may use (``"2GB"``; default half of the free
            memory) while it looks for passages. Whatever does not fit goes to temporary files, and
            the result is the same. The result itself is held in memory, some 600 bytes for each row
            of ``table``.
        progress: a function that follows every step; True draws a line on stderr.

    Options:
        across: count only passages in documents of different groups: ``source`` (files),
            ``folder``, or a column of rows, such as an author (default: any two places count, even
            in one document).
        work: the folder for working files, from which an interrupted run resumes (default: in
            OUT.ilk).
        jobs: threads (default: one per processor).
        words: the least number of words in a passage (default: 50; 5 if ``unit`` is not words).
        unit: what is compared: runs of words, or a whole line, sentence (by the rules of Unicode)
            or paragraph (lines between blank lines) with at least ``words`` words.
        as_: compare programs: a name, a number or a string is one word, whichever it is, and
            comments and layout do not count; ``code`` takes the language from the name of each
            file, ``code:python`` names it; needs the extra ``code`` (default: as they are).
        common_blocks: ignore paragraphs and lines that more than N documents share, and list them.
        against_text: the column of texts in the rows of ``against``, such as ``question``;
            repeatable (default: that of ``text``); only with ``against``.
        text: the column of texts in files of rows; dots reach into objects, and brackets into
            lists: ``messages[].content``, ``messages[role=user].content``, ``turns[0].text``; the
            texts of a list, and of the option repeated, are joined with a blank line between them.
        id: the column of ids in files of rows (default: id, if there is one).
        encoding: the encoding of CSV files, and of plain files that are not UTF-8, such as cp1252;
            kept rows are written in UTF-8 (default: UTF-8 for CSV; other plain files are examined).
        rows: also in folders, read files of rows and web archives row by row.
        folder_as_document: each folder in a given one, and each archive, is one document: the texts
            below it, with a blank line between them.
        include: in folders, read only files whose name or path matches, such as ``*.txt``;
            repeatable.
        exclude: skip files and folders whose name or path matches; repeatable.
        cache: cache the texts of PDF and other formats there; ``none``: no cache (default:
            STORE.texts beside a store, ``texts`` in the folder of ``work``; else none).
        extract: how to get the text of HTML, in files and in rows (none: the page as it is, with
            its tags; all: all text without tags; fast: the main text; quality: the main text with
            fewer mistakes, at a fifth of the speed; needs the extra ``pages``).
        convert: for files with this extension, run a program and read the text it prints, such as
            ``pdf=pdftotext {} -``; repeatable.
        convert_timeout: the time limit for reading one document, by a program or by ilk itself.
        ocr: for PDF pages that are images, run a program and read the text it prints, such as
            ``tesseract {} -``.
        replies: keep or drop the quotations in messages, and signatures.
        limits: what reading one document may use (``ilk.Limits``).
        links: follow symbolic links in folders, also out of them.
        gitignore: leave out what a .gitignore excludes, as an .ilkignore always does.
        no_hidden: leave out files and folders in folders whose names begin with a dot.
        one_file_system: stay on the file system of each given folder.
        size: read only files of this size, such as 1MB..2GB (both included), 1MB.. or ..2GB; a
            reference (``against``) is read whole.
        newer: read only files modified then or since: a date, a time, or an age such as 30d (h, d,
            w, y); a reference (``against``) is read whole.
        older: read only files modified before then: a date, a time, or an age such as 2y (h, d, w,
            y); a reference (``against``) is read whole.
        depth: read files in at most this many folders: 1 does not enter folders in the given one.

    Raises:
        OptionError: an option is out of bounds; there is no column ``across``; there are more than
            2^32 - 2 words.
        SourceNotFound: a path does not exist.
        ColumnTypeError: rows have no column of that name.
        NothingRead: there were files, but none could be read.
        SourceChanged: a file has changed while it was read.
        OutputError: working files cannot be kept.

    Source: the problem is that of Lee et al. 2021, "Deduplicating training data makes language
    models better", section 4.1, over words.

    >>> twice = "to be or not to be that is the question"
    >>> found = passages([f"{twice} whether", f"Hamlet: {twice}!"], words=8)
    >>> found.table.select(["doc", "start", "end", "earlier_doc"]).to_pylist()[1]
    {'doc': 1, 'start': 1, 'end': 11, 'earlier_doc': 0}
    """
    unit = check_option("unit", unit)
    if across is not None:
        check_option("across", across)
    least_containment = check_option("containment", containment)
    reading = Reading.of(
        # Arguments find_reading, by scripts/make-signatures.
        text=text,
        id=id,
        encoding=encoding,
        rows=rows,
        folder_as_document=folder_as_document,
        include=include,
        exclude=exclude,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        links=links,
        gitignore=gitignore,
        no_hidden=no_hidden,
        one_file_system=one_file_system,
        size=size,
        newer=newer,
        older=older,
        depth=depth,
        # End of what is written.
    )
    if across is not None and against is not None:
        raise OptionError("`across` and `against` both set which places count; give one of them.")
    if least_containment is not None:
        _refuse_options_that_containment_ignores(ignore_text, common_blocks)
    counting = Counting(default("shingle"), as_=check_as_code_if_given(as_))
    _refuse_options_unfit_for_programs(counting.as_, unit, least_containment, common_blocks)
    base = (
        None
        if ignore_text is None
        else read_base_texts_with_programs_as_words(ignore_text, reading, counting)
    )
    max_documents_of_block = check_option("common_blocks", common_blocks)
    rule = PassageRule(_check_min_words_or_default(check_option("words", words), unit), unit, base)
    reads_all = list(progress_steps_of_reading_sources(reading, against, source))
    finds = Step("find passages", sum(step.share for step in reads_all) / 4)
    # For the words around each passage, the texts are read once more.
    counts_blocks = () if max_documents_of_block is None else (*reads_all, *reads_all)
    meter = StepTimer(progress, *counts_blocks, *reads_all, finds, *reads_all)
    running = replace(Running.of(jobs, memory, meter), folder=work)
    tally = ReadReport()
    own = Collection.of(source, reading, running, tally)
    reference = None
    if against is not None:
        reference = _open_reference(
            against,
            source,
            reading=reading,
            against_text=against_text,
            running=running,
            tally=tally,
        )
    both = [own] if reference is None else [reference.collection, own]
    plain = {"words": rule.min_words, "unit": unit, "across": across, **reading.plain()}
    plain["as"] = None if counting.as_ is None else str(counting.as_)
    plain["common_blocks"] = max_documents_of_block
    plain["ignore_text"] = [os.fsdecode(path) for path in paths_or_none_if_texts(ignore_text) or ()]
    if against_text is not None:
        plain["against_text"] = against_text
    stamps: list[list[Any]] = []
    if work is not None:
        stamps = _read_stamps_refusing_texts((ignore_text, source), reading, reference)
    with resumable_work_folder(work, sources=stamps, options=plain) as work_folder:
        resumes = isinstance(work_folder, WorkFolder) and work_folder.has_result(_STEP)
        collected_words = CollectedWords(rule, running, work_folder, resumes=resumes)
        collect = partial(_read_documents_and_collect_words, both, collected_words, counting, tally)
        all_documents = work_folder.load_or_make(
            _STEP,
            partial(collect, max_documents_of_block=max_documents_of_block, jobs=running.jobs),
        )
        reading_report = parse_json(all_documents.schema.metadata[_REPORT_KEY])
        document_counts = reading_report.pop("counts")
        failures = reading_report["failures"][: reading_report.pop("failures_in_reference")]
        common = reading_report.pop("common")
        if common is not None:
            common = pa.Table.from_pylist(common, COMMON_BLOCKS)
            rule = rule._replace(common=flat(common["hash"]))
        for each, count in zip(both, document_counts, strict=True):
            each.restore_document_count(count)
        reference_size = 0 if reference is None else document_counts[0]
        reference_documents, documents = (
            all_documents.slice(0, reference_size),
            all_documents.slice(reference_size),
        )
        texts: Collection | ProgramTexts = own
        reference_texts: Collection | ProgramTexts | None = None
        if reference is not None:
            reference_texts = reference.collection
        if (code := counting.as_) is not None:
            plain_documents = code.list_text_sources_refusing_all(
                all_documents["source"].to_pylist()
            )
            reading_report["advice"] += describe_sources_compared_as_text(plain_documents)
            texts = ProgramTexts(own, documents["source"], code)
            if reference is not None:
                reference_texts = ProgramTexts(
                    reference.collection, reference_documents["source"], code
                )
        unread = dict[str, str]()
        if (
            reference is not None
            and reference.store_texts is None
            and all_sources_name_rows(reference_documents)
        ):
            unread = _find_unread_sets_and_report_them(
                reference_documents,
                reference.reading,
                reported_failures=failures,
                reading_report=reading_report,
            )
        documents = documents.set_column(0, _KNOWN.field("doc"), pa.arange(0, len(documents)))
        if least_containment is not None and not all_sources_name_rows(reference_documents):
            raise OptionError(
                "`containment` counts items, which are rows of `against`; it has files or "
                "documents that are no rows."
            )
        groups = None
        if reference is not None:
            groups = pa.array([0] * reference_size + [1] * len(documents), pa.uint32())
        elif across is not None:
            groups = _read_group_numbers(
                across, documents, source=source, reading=reading, running=running
            )
        repeated_words = collected_words.find_repeated_and_release_words(
            groups,
            lambda share: running.tell("find passages", int(100 * share), 100),
            reference_size=reference_size,
        )
    table = _passages_table(repeated_words.list_runs(), reference_size, texts, running.jobs)
    counts = repeated_words.count_words_of_documents().slice(reference_size)
    repeats = repeated_words.count_repeated_words_elsewhere_before_itself().slice(reference_size)
    coverage = documents.select(_NAMES).append_column("words", counts)
    for name in repeats.column_names:
        share = pc.divide(repeats[name].cast(pa.float64()), pc.max_element_wise(counts, 1))
        coverage = coverage.append_column(name, share)
    plain["containment"] = None if least_containment is None else float(least_containment)
    promise = _promise_sentence(
        rule,
        in_reference=reference is not None,
        in_two_groups=across is not None,
        containment=least_containment,
        max_documents_of_block=max_documents_of_block,
    )
    report = {
        **report_head(documents=len(coverage), promise=promise, options=plain, **reading_report),
        "against": None if reference is None else reference_size,
        "unread_sets": unread,
        **_numbers_of_passages(table, counts, repeats),
        "common_blocks": rank_common_blocks_if_sought(common),
        "seconds": meter.seconds(),
    }
    # The work folder is gone once this returns.
    read_collection = ReadCollection(
        source=source,
        reference_source=None if reference is None else reference.source,
        reading=reading,
        running=replace(running, folder=None),
        documents=documents,
        texts=texts,
        reference_texts=reference_texts,
        rule=rule,
    )
    return Passages(
        table=table,
        coverage=coverage,
        against=None if reference is None else reference_documents.select(_NAMES),
        report=report,
        _repeated_runs=repeated_words,
        _read=read_collection,
    )


def _promise_sentence(
    rule: PassageRule,
    *,
    in_reference: bool,
    in_two_groups: bool,
    containment: Fraction | None,
    max_documents_of_block: int | None,
) -> str:
    """Return what is certain about the result.

    Args:
        rule: what counts as a passage.
        in_reference: whether a passage counts only if it is in the reference too.
        in_two_groups: whether it counts only if documents of two groups have it.
        containment: the least containment of an item; None if items are not measured.
        max_documents_of_block: the most documents of a block that may be in a passage.
    """
    kind = "run" if rule.unit == "words" else rule.unit
    where = "occurs in two groups" if in_two_groups else "occurs at two places"
    if in_reference:
        where = "is in the reference too"
    promise = f"exact: every {kind} of at least {rule.min_words} words that {where}"
    if containment is not None:
        promise += (
            f"; every item with a containment of at least {float(containment):g} in a document (of "
            f"fewer than {RUN_WORDS} words: that is in one as a whole)"
        )
    if rule.base is not None:
        promise += ", but for those in the ignored text"
    if max_documents_of_block is not None:
        promise += (
            "; no word of a paragraph or line that more than "
            f"{count_noun(max_documents_of_block, 'document')} "
            f"{'has' if max_documents_of_block == 1 else 'have'} is in one"
        )
    return promise


def _numbers_of_passages(
    table: pa.Table, words_by_document: pa.ChunkedArray, repeated_words: pa.Table
) -> dict[str, int]:
    """Return how many words were read, how many of them recur, and in how many passages."""
    return {
        "words": pc.sum(words_by_document).as_py() or 0,
        "passages": pc.count_distinct(table["passage"]).as_py(),
        "runs": len(table),
        **{name: pc.sum(repeated_words[name]).as_py() or 0 for name in repeated_words.column_names},
        "in_documents": pc.count_distinct(table["doc"]).as_py(),
    }


def _check_min_words_or_default(words: int | None, unit: str) -> int:
    """Return the least number of words in a passage.

    Raises:
        OptionError: units of one word are not compared.
    """
    if words is None:
        return _LEAST_WORDS if unit == "words" else _LEAST_WORDS_OF_UNIT
    if unit != "words" and words < _FEWEST_WORDS_OF_UNIT:
        raise OptionError(
            f"`words` is {words}; a {unit} must have {_FEWEST_WORDS_OF_UNIT} words or more."
        )
    return words


def _refuse_options_that_containment_ignores(ignore_text: Any, common_blocks: int | None) -> None:
    """Refuse what is left out of passages, but not of items that ``containment`` measures.

    Raises:
        OptionError: one of them is given.
    """
    if ignore_text is not None:
        raise OptionError(
            "`containment` counts the words of `ignore_text` too; leave out one of the two."
        )
    if common_blocks is not None:
        raise OptionError(
            "`containment` counts the words of common blocks too; leave out `containment` or "
            "`common_blocks`."
        )


def _refuse_options_unfit_for_programs(
    as_: AsCode | None, unit: str, containment: Any, common_blocks: int | None
) -> None:
    """Refuse what is not defined for programs.

    Raises:
        OptionError: they are cut into sentences or lines, items are measured as texts, or lines are
            left out.
    """
    if as_ is None:
        return
    if unit != "words":
        raise OptionError(
            f"`unit` is {unit}, and programs are compared by runs of their words; leave out `unit` "
            "or `as_`."
        )
    if containment is not None:
        raise OptionError(
            "`containment` measures items as the texts that they are; leave out `containment` or "
            "`as_`."
        )
    if common_blocks is not None:
        raise OptionError(
            "`common_blocks` leaves out paragraphs and lines, and programs are compared by their "
            "words, without layout; leave out `common_blocks`, or give what they share as "
            "`ignore_text`."
        )


def _open_reference(
    against: Any,
    source: Any,
    *,
    reading: Reading,
    against_text: str | Sequence[str] | None,
    running: Running,
    tally: ReadReport,
) -> _ReferenceCollection:
    """Open the other collection; its files are read like those of ``source``, whatever their size
    and time.

    Raises:
        OptionError: it is a store, and ``against_text`` is given.
        SourceNotFound: a path does not exist.
    """
    if (store := store_of_reference_or_none(against)) is not None:
        if against_text is not None:
            raise OptionError("a store has its texts; leave out `against_text`.")
        stored = TextsOfStore(store)
        return _ReferenceCollection(Collection(stored), stored.path, reading, stored)
    reading = reading.without_size_and_time_filters()
    paths = paths_or_none_if_texts(source)
    if paths is None or all(is_file_of_rows(path, reading.text) for path in paths):
        # Beside rows, its folders are read row by row too: items of evaluation sets are rows.
        reading = replace(reading, rows=True)
    if against_text is not None:
        # Its files name texts differently, so one may lack some of several columns, as
        # ``sentences_on_sets_without_column`` says.
        reading = replace(
            reading,
            text=Reading.of(text=against_text).text,
            partly=paths_or_none_if_texts(against) is not None,
        )
    check = ReferenceCheck(against, source, reading, text_option="against_text")
    collection = Collection.of(against, reading, running, tally, reference_check=check)
    return _ReferenceCollection(collection, against, reading)


def _read_documents_and_collect_words(
    collections: Sequence[Collection],
    words: CollectedWords,
    counting: Counting,
    tally: ReadReport,
    *,
    max_documents_of_block: int | None,
    jobs: int,
) -> _DocumentsWithReportInMetadata:
    """Read all documents, add what they say to ``words``, and save that; return what is known of
    them, with the tally in the table's metadata.

    With ``max_documents_of_block``, the blocks of more documents are looked for first, and left
    out.
    """
    tables = [_KNOWN.empty_table()]
    counted_blocks, digests = CountedBlocks(jobs=jobs), [pa.array([], arrow.DIGEST)]
    for part in collections:
        for batch in part.batches():
            texts = arrow.import_texts(batch.column("text"))
            if max_documents_of_block is None:
                words.add_words_of(
                    counting.replace_programs_by_words_if_as_code(texts, batch.column("source"))
                )
            else:
                counted_blocks.add_block_hashes_of(texts)
                digests.append(text_digests_null_if_blank(texts, jobs=jobs))
            own = [batch.column(name) for name in _KNOWN.names[:-1]]
            length = pc.binary_length(batch.column("text")).cast(pa.int64())
            tables.append(pa.table([*own, length], schema=_KNOWN))
    documents = pa.concat_tables(tables).combine_chunks()
    counts = [len(part) for part in collections]
    for end, count in zip(itertools.accumulate(counts), counts, strict=True):
        readers.refuse_if_no_readable_document(documents.slice(end - count, count), tally)
    common = None
    if max_documents_of_block is not None:
        # All texts are read twice more: some to spell these blocks, all to take their words. Copies
        # of one text count once, as in a search: else they would be their own template.
        first = first_rows_with_same_digest_or_null(pa.concat_arrays(digests))
        counts_once = pc.fill_null(mark_representatives(first), False)
        every = Collection(*(document for part in collections for document in part.parts))
        blocks_found = counted_blocks.find_common_blocks(max_documents_of_block, every, counts_once)
        words.leave_out_blocks_of_later_texts(flat(blocks_found["hash"]))
        words.add_words_of(every)
        common = blocks_found.to_pylist()
    words.save_words_if_in_files()
    reading_report = {
        "counts": counts,
        "failures_in_reference": tally.failures_in_reference,
        "failures": tally.failures_as_dicts(),
        "advice": tally.advice(),
        "common": common,
    }
    return documents.replace_schema_metadata({_REPORT_KEY: json.dumps(reading_report)})


def _find_unread_sets_and_report_them(
    items: pa.Table,
    reading: Reading,
    *,
    reported_failures: Sequence[Mapping[str, Any]],
    reading_report: dict[str, Any],
) -> dict[str, str]:
    """Return the sets without any item that has a text, each with the reason.

    ``reading_report`` gets them as failures.

    Args:
        items: the documents of the reference, which are rows.
        reading: how they are read.
        reported_failures: the failures in the reference that are reported already.
        reading_report: what is reported of the reading: its ``advice`` and ``failures`` grow.
    """
    unread = find_sets_without_text_and_reasons(items, reported_failures, reading.text)
    reading_report["advice"] += sentences_on_sets_without_column(items, unread, reading)
    told = {failure["source"] for failure in reported_failures}
    reading_report["failures"] += [
        {"source": name, "reason": reason} for name, reason in unread.items() if name not in told
    ]
    return unread


def _read_stamps_refusing_texts(
    sources: Sequence[Any], reading: Reading, reference: _ReferenceCollection | None
) -> list[list[Any]]:
    """Return, source by source, the stamps of the files that are read, and what tells a store from
    its other states; OptionError if not all are files.
    """
    store_texts = None if reference is None else reference.store_texts
    if reference is not None and store_texts is None:
        sources = [*sources, reference.source]
    stamps: list[list[Any]] = []
    for source in sources:
        paths = paths_or_none_if_texts(source) if source is not None else []
        if paths is None or any(os.fspath(path) == STDIN for path in paths):
            raise OptionError("`work` needs files to resume; leave it out if you give texts.")
        stamps.append([*map(FileStamp.read, readers.find_existing_files(paths, reading))])
    if store_texts is not None:
        # What was written last is not in the file yet, but in the one beside it.
        stamps.append([store_texts.path, len(store_texts), store_texts.generation])
    return stamps


def _read_group_numbers(
    across: str, documents: pa.Table, *, source: Any, reading: Reading, running: Running
) -> pa.Array:
    """Return a number for every document, the same within a group; null is a group too."""
    if across in (_SOURCE, _FOLDER):
        names = documents["source"].to_pylist()
        # The file of a row is its source without the number.
        bare = (_ROW.sub("", name) for name in names)
        files = [
            file if not file or is_file_of_rows(file, reading.text) else name
            for file, name in zip(bare, names, strict=True)
        ]
        values = files if across == _SOURCE else [os.path.dirname(file) for file in files]
        column: Any = pa.array(values, pa.string())
    else:
        paths = paths_or_none_if_texts(source)
        if paths is not None and not all(is_file_of_rows(path, reading.text) for path in paths):
            raise OptionError(
                f"`across` is {across!r}, but files have no columns; it must be {_SOURCE} or "
                f"{_FOLDER}, or name a column of rows."
            )
        try:
            column = open_data_set(source, reading, running).read_column(across)
        except ColumnTypeError as error:
            raise OptionError(f"`across` is {across!r}: {error}") from error
        if len(column) != len(documents):
            raise OptionError(f"`across` is {across!r}, but not every document is a row.")
        if not pa.types.is_nested(column.type):
            column = pc.cast(column, pa.string())
    return flat(column).dictionary_encode(null_encoding="encode").indices.cast(pa.uint32())


def _passages_table(
    runs: pa.Table, reference_size: int, texts: Collection | ProgramTexts, jobs: int
) -> pa.Table:
    """Return runs as ``PASSAGES``; the first ``reference_size`` documents are the reference's."""
    if reference_size:
        # Runs are in reading order, and those of the reference come first: nothing is copied.
        own = runs.slice(pc.sum(pc.less(runs["doc"], reference_size)).as_py() or 0)
        numbers = pc.rank(own["passage"], tiebreaker="dense") if len(own) else own["passage"]
        passage = pc.subtract(numbers.cast(pa.int64()), min(len(own), 1))
        runs = own.set_column(0, "passage", passage)
        runs = runs.set_column(1, "doc", pc.subtract(runs["doc"], reference_size))
        earlier = pa.repeat(True, len(runs))
    else:
        here = pc.equal(runs["other_doc"], runs["doc"])
        before = pc.and_(here, pc.less(runs["other_start"], runs["start"]))
        earlier = pc.or_(pc.less(runs["other_doc"], runs["doc"]), before)
    places = byte_spans_of_runs(texts, runs, jobs)
    columns = {name: runs[name] for name in ("passage", "doc", "start", "end", "occurrences")}
    columns |= {name: places[name] for name in places.column_names}
    for name in ("doc", "start"):
        columns[f"earlier_{name}"] = pc.if_else(earlier, runs[f"other_{name}"], None)
    arrays = [flat(pc.cast(columns[name], pa.int64())) for name in arrow.PASSAGES.names]
    return pa.table(arrays, schema=arrow.PASSAGES)
