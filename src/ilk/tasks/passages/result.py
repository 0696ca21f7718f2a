"""The passages of a collection: where they are, and how much of each document they cover."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow as columns
from ilk.arrow import flat
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import OptionError
from ilk.base.kinds import Whole
from ilk.base.options import (
    NOT_OF_PASSAGES,
    TIMES,
    check_option,
    default,
    refuse_idle_options,
)
from ilk.read.files.content import file_or_enclosing_file_or_same_source, unescape_source_name
from ilk.search.pair_passages import PairPassages, find_pair_passages
from ilk.search.passages import RepeatedWordRuns, byte_spans_of_runs
from ilk.search.programs import ProgramTexts
from ilk.search.ranking import order_documents_best_first, refuse_unfit_policies
from ilk.tasks.copied import copied_parts_of_runs
from ilk.tasks.passages import cutting
from ilk.tasks.passages.contamination import (
    Contamination,
    all_sources_name_rows,
    find_contained_items_of_each_file,
    find_contamination,
)
from ilk.tasks.passages.cutting import Cut
from ilk.tasks.passages.writing import PassagesOutput, ReadCollection
from ilk.write import accounts, notebook, pages, pictures, plagiarism, sarif
from ilk.write.plagiarism import CopiedParts

#: What a page shows at most: passages, bytes and sources of each; documents with their texts, and
#: in a table after them.
_FREQUENT, _EXCERPT, _SOURCES, _DOCUMENTS, _MORE_DOCUMENTS = 20, 600, 10, 100, 1_000

#: How many documents a page may show.
_COUNTED = Whole(0, 1_000_000_000)

#: Characters of the longest run of an evaluation set.
_BEGIN = 50

#: Passages, and documents, that a notebook shows.
_SHOWN = 8

#: What makes the groups of `across` that need no column.
_GROUPS = {"folder": "folder", "source": "file"}

#: Stretches of two texts that are shown side by side.
_MOST_STRETCHES = 1_000

#: How many times as many passages are looked at: many may overlap with others.
_SOUGHT = 20


class ReportPhrases(NamedTuple):
    """What a report of passages says, for its collections: one, two, or one in groups.

    with_passages: what follows "1 passage" and "2 passages". without: what is said instead where
    no passage was found. elsewhere, before, itself: what the words of these counts are; before is
    "" where it counts the same words as elsewhere. place: where words are that the share of a
    document counts. rest: what ``cut`` leaves.
    """

    with_passages: tuple[str, str]
    without: str
    elsewhere: str
    before: str
    itself: str
    place: str
    rest: str

    @classmethod
    def of_report(cls, report: dict[str, Any]) -> ReportPhrases:
        """Return the sentences that are true of a report."""
        if report["against"] is not None:
            return cls(
                with_passages=("is in the reference too", "are in the reference too"),
                without="No passage is in the reference",
                elsewhere="are in the reference too",
                before="",
                itself="are repeated here, and not in the reference",
                place="in the reference",
                rest="without the passages that are in the reference",
            )
        across = report["options"]["across"]
        if across is not None:
            group = _GROUPS.get(across, "group")
            return cls(
                with_passages=(f"occurs in two {group}s or more", f"occur in two {group}s or more"),
                without=f"No passage occurs in two {group}s",
                elsewhere=f"are in another {group} too",
                before=f"are in an earlier document of another {group}",
                itself=f"are repeated in their own {group} only",
                place=f"in earlier documents of another {group}",
                rest=f"without the passages that an earlier document of another {group} has",
            )
        return cls(
            with_passages=("occurs in two places or more", "occur in two places or more"),
            without="No passage occurs twice",
            elsewhere="are in another document too",
            before="are in an earlier document",
            itself="are repeated in their own document only",
            place="in earlier documents",
            rest="with each passage only at its first place",
        )


@dataclass(frozen=True, kw_only=True)
class Passages:
    """The passages of a collection.

    A run of words is *repeated* if it has at least ``words`` words, is within one document, and
    occurs at another place too. ``table`` has every repeated run that is not inside a longer one;
    two of them may overlap, in their document or with the other place of the same words. Runs of
    equal words share a ``passage``, and ``occurrences`` counts all places of those words, including
    those inside a longer run, which has the row there. So if A and B share 80 words, and 60 of
    those are also in C, then A and B have a row of 80 words each (2 occurrences), and C has one of
    60 (3).

    Words are compared by 64-bit hashes, word for word. The chance that any two of a million
    different words have the same hash is 1 in 37 million; nothing else is left to chance.

    Attributes:
        table: ``PASSAGES``, in reading order: ``passage`` (numbered by first places), ``doc``,
            ``start`` and ``end`` (words of the document, the end excluded), ``start_byte`` and
            ``end_byte`` (of its text in UTF-8), ``occurrences``, and the first place of the same
            words, ``earlier_doc`` and ``earlier_start``, null in the row of that place.
        coverage: per document ``doc``, ``source``, ``id``, ``words`` (how many it has), and the
            shares of them in repeated runs that are ``elsewhere`` (in another document), ``before``
            (in an earlier document), and only in ``itself`` (twice in this document only). With
            ``against``, elsewhere and before are in that collection, and itself is all that is
            repeated in this one only; with ``across``, elsewhere is in another group, before in an
            earlier document of one, and itself in the document's own group only.
        against: the documents of ``against``, if it was given; then ``earlier_doc`` is one of them.
            Else None.
        report: counts and options, as plain values.
    """

    table: pa.Table
    coverage: pa.Table
    against: pa.Table | None
    report: dict[str, Any]
    _repeated_runs: RepeatedWordRuns = field(repr=False)
    _read: ReadCollection = field(repr=False)

    @property
    def _reference_size(self) -> int:
        """How many documents of ``against`` come before the others in what the kernels number."""
        return 0 if self.against is None else len(self.against)

    def __repr__(self) -> str:
        report = self.report
        read = f"{report['documents']:,} documents of {report['words']:,} words"
        found = f"{report['passages']:,}, in {report['in_documents']:,} documents"
        return f"Passages: {found}\n  {read}\n  {report['promise']}"

    def cut(
        self,
        *,
        mid_sentence: bool = default("mid_sentence"),
        every_place: bool = default("every_place"),
        keep: str | Sequence[str] = default("keep"),
    ) -> Cut:
        """Return the texts without their passages: each stays at its first place.

        Of what a place before has, whole sentences are cut, or the units that were looked for.
        Of the characters that belong to no word, those that belong to the cut go with it
        (``ilk.tasks.passages.edges`` has the rules). Nothing else changes, byte for byte. This is
        repeated until nothing is left to cut, so cutting the result, ranked in the same order, cuts
        nothing more. With ``against``, whatever occurs there is cut everywhere.

        Args:
            mid_sentence: also cut parts of sentences.
            every_place: also cut the first place of each passage, so that it stays nowhere.
            keep: which document has the first place: policies of ``ilk.search.ranking``, most
                important first. Two places in one document are always in reading order.

        Raises:
            OptionError: ``mid_sentence`` is given with a ``unit`` other than words, ``every_place``
                with ``against``, or ``keep`` with either; a policy is not allowed; or the texts are
                programs.
            SourceChanged: a text has changed since it was read.
        """
        read, options = self._read, self.report["options"]
        refuse_cut_of_programs(options["as"])
        if mid_sentence and options["unit"] != "words":
            raise OptionError(
                f"`mid_sentence` has no effect if `unit` is {options['unit']}; leave it out."
            )
        if every_place and self.against is not None:
            raise OptionError(
                "`every_place` has no effect with `against`: what is in it is cut everywhere."
            )
        policies = self._check_policies(keep, ["every_place"] if every_place else [])
        return cutting.cut_passages(
            read.texts,
            self.coverage,
            self._repeated_runs,
            read.rule,
            mid_sentence=mid_sentence,
            every_place=every_place,
            ranking=None
            if policies == [default("keep")]
            else self._rank_documents_after_reference(policies),
            reference_texts=read.reference_texts,
            running=read.running,
        )

    def documents_to_drop(
        self, share: str | float, keep: str | Sequence[str] = default("keep")
    ) -> pa.Array:
        """Return the documents with more than a share of their words in documents that stay.

        The documents are decided one by one, the best keeper first: one whose passages are in kept
        documents is dropped, and passages that only a dropped document has do not count.

        Args:
            share: the share of the words of a document.
            keep: as of ``cut``.

        Returns:
            Ascending ``doc``.

        Raises:
            OptionError: the share or a policy is not allowed, or there is one with ``against``.
        """
        if (least := check_option("drop_above", share)) is None:
            raise OptionError("give the share of the words of a document, such as 0.5.")
        ranking = self._rank_documents_after_reference(self._check_policies(keep))
        dropped_docs = self._repeated_runs.kernel_runs.find_documents_to_drop(
            ranking,
            self._reference_size,
            (least.numerator, least.denominator),
            self._repeated_runs.groups,
        )
        return pc.subtract(pa.array(dropped_docs, pa.int64()), self._reference_size)

    def _check_policies(
        self, keep: str | Sequence[str], conflicting_options: Sequence[str] = ()
    ) -> list[str]:
        """Return the policies as a list.

        Raises:
            OptionError: one is not known; or there is an option with which none has an effect:
                ``against``, or one that is given here.
        """
        policies = [keep] if isinstance(keep, str) else list(keep)
        refuse_unfit_policies(
            policies, has_columns=self._read.is_of_rows, excluded_policies=NOT_OF_PASSAGES
        )
        idle = [*conflicting_options, *["against"] * (self.against is not None)]
        if idle and policies != [default("keep")]:
            raise OptionError(f"`keep` has no effect with `{idle[0]}`; leave out one of the two.")
        timeless = [policy for policy in policies if policy in TIMES]
        times = self._read.documents["modified"]
        if timeless and times.null_count == len(times):
            raise OptionError(
                f"`keep` is {timeless[0]!r}, and no document has a modification time."
            )
        return policies

    def _rank_documents_after_reference(self, policies: Sequence[str]) -> pa.Array:
        """Return those of ``against`` and then all others, the best keeper first."""
        read = self._read
        column = (
            (lambda name: read.open_rows_refusing_changed_count().read_column(name))
            if read.is_of_rows
            else None
        )
        ranking = order_documents_best_first(read.documents, policies, read_column=column)
        reference_size = self._reference_size
        return pa.concat_arrays([pa.arange(0, reference_size), pc.add(ranking, reference_size)])

    def write(
        self,
        output: str | os.PathLike[str],
        *,
        cut: bool = default("cut"),
        mid_sentence: bool = default("mid_sentence"),
        every_place: bool = default("every_place"),
        emptied: str | None = None,
        drop_above: str | float | None = None,
        keep: str | Sequence[str] = default("keep"),
        force: bool = default("force"),
    ) -> dict[str, int]:
        """Write the documents, and an account of what was done beside them, in ``output.ilk/``.

        Rows are written as they were read: JSON lines and CSV byte for byte except for the cut
        texts, Parquet with all columns. Documents that are files, and records of archives, are
        written as rows of ``source``, ``id`` and ``text``, in JSON lines or Parquet.

        Args:
            output: a file.
            cut: write the texts as ``cut`` leaves them; the account has every cut
                (``cuts.parquet``), and the documents as they were (``originals.jsonl``).
            mid_sentence: also cut parts of sentences.
            every_place: also cut the first place of each passage.
            keep: as of ``cut``, and of ``documents_to_drop``.
            emptied: ``keep`` documents that a cut leaves without a word, with an empty text, or
                ``drop`` them; ``dropped.parquet`` has them then.
            drop_above: write the documents that ``documents_to_drop`` leaves; ``dropped.parquet``
                has the others.
            force: replace existing output.

        Returns:
            How many ``documents`` were written, and how many were ``dropped``; or how many ``cuts``
            were made, how many documents they ``emptied``, and how many words of passages
            ``stayed``, since their sentence has other words.

        Raises:
            OptionError: not exactly one of cut and drop_above is given; or the name of the
                output does not say how to write rows.
            OutputError: it cannot be written.
        """
        if cut == (drop_above is not None):
            raise OptionError("give exactly one of `cut` and `drop_above`.")
        refuse_idle_options(
            {
                "cut": cut,
                "mid_sentence": mid_sentence,
                "every_place": every_place,
                "emptied": emptied,
            },
            ("cut", "mid_sentence", "every_place", "emptied"),
        )
        if cut:
            refuse_cut_of_programs(self.report["options"]["as"])
        drops = check_option("emptied", emptied or default("emptied")) == "drop"
        place = PassagesOutput(Path(output), self._read, force=force)
        if cut:
            cut_texts = self.cut(mid_sentence=mid_sentence, every_place=every_place, keep=keep)
            counts = {
                "cuts": len(cut_texts),
                "emptied": len(cut_texts.emptied),
                "stayed": cut_texts.stayed,
            }
            report = self.report | {
                "cut": {"column": place.text_column_to_cut, "keep": keep, **counts}
            }
            tables: dict[str, Any] = {accounts.CUTS: cut_texts.read_cuts()}
            kept_mask = pa.repeat(True, len(self.coverage))
            if drops:
                tables[accounts.DROPPED] = self.coverage.take(cut_texts.emptied)
                kept_mask = pc.invert(pc.is_in(self.coverage["doc"], value_set=cut_texts.emptied))
            place.write_account_unless_stream(report, tables, cut_texts.changed_documents())
            return {"documents": place.write_and_count(flat(kept_mask), cut_texts.texts), **counts}
        dropped_docs = self.documents_to_drop(drop_above or 0, keep)
        place.write_account_unless_stream(
            self.report, {accounts.DROPPED: self.coverage.take(dropped_docs)}
        )
        kept_mask = pc.invert(pc.is_in(pa.arange(0, len(self.coverage)), value_set=dropped_docs))
        return {"documents": place.write_and_count(kept_mask), "dropped": len(dropped_docs)}

    def contamination(self) -> Contamination:
        """Return which items of evaluation sets, the rows of ``against``, are in which files.

        Every set (file of ``against``) is compared with every file of the documents, exactly. More
        than 100 files count as one. With ``containment``, items also count that are contained in a
        document to that degree; for these, the documents are read once more.

        Raises:
            OptionError: there is no ``against``.
            SourceChanged: a text has changed since it was read.
        """
        if self.against is None or self._read.reference_texts is None:
            raise OptionError("evaluation sets are what is searched for; give them as `against`.")
        return self._contamination

    @cached_property
    def _contamination(self) -> Contamination:
        items, read = self._read.reference_texts, self._read
        assert self.against is not None
        assert items is not None
        options, jobs = self.report["options"], read.running.jobs
        contained_items = None
        if (least := check_option("containment", options["containment"])) is not None:
            contained_items = find_contained_items_of_each_file(
                items, self.coverage, read.texts, least, jobs=jobs
            )
        return find_contamination(
            self._repeated_runs,
            self.against,
            items,
            self.coverage,
            min_words=options["words"],
            contained_items=contained_items,
            unread_sets=self.report["unread_sets"],
            jobs=jobs,
        )

    def plain_evaluation_sets(self) -> list[dict[str, Any]]:
        """Return ``contamination().sets`` as plain values; none if ``against`` is not of rows."""
        if self.against is None or not all_sources_name_rows(self.against):
            return []
        rows: list[dict[str, Any]] = self.contamination().sets.to_pylist()
        return rows

    def sarif(self) -> dict[str, Any]:
        """Return the passages as a log of SARIF 2.1.0, for code reviews.

        There is a result for each row of the table that has an earlier place. Lines and columns are
        those of plain files in UTF-8; of other documents, only the file is named.

        Raises:
            SourceChanged: a text has changed since it was read.
        """
        reference_size = self._reference_size
        rows = self.table.filter(self.table["earlier_doc"].is_valid())
        firsts = pa.table(
            {"doc": pc.add(rows["earlier_doc"], reference_size), "start": rows["earlier_start"]}
        )
        firsts = (
            firsts.group_by(["doc", "start"], use_threads=False)
            .aggregate([])
            .sort_by([("doc", "ascending"), ("start", "ascending")])
        )
        begins: dict[tuple[int, int], int] = {}
        texts: dict[int, bytes | None] = {}
        names = self.coverage["source"]
        if self.against is not None:
            names = pa.chunked_array([*self.against["source"].chunks, *names.chunks])
        own = (self._read.texts, reference_size)
        for collection, base in (
            [own] if self._read.reference_texts is None else [(self._read.reference_texts, 0), own]
        ):
            inside = pc.and_(
                pc.greater_equal(firsts["doc"], base),
                pc.less(firsts["doc"], base + len(collection)),
            )
            runs = firsts.filter(inside)
            docs, starts = pc.subtract(runs["doc"], base), runs["start"]
            runs = pa.table({"doc": docs, "start": starts, "end": pc.add(starts, 1)})
            places = byte_spans_of_runs(collection, runs, self._read.running.jobs)["start_byte"]
            keys = zip(docs.to_pylist(), starts.to_pylist(), strict=True)
            for (doc, start), place in zip(keys, places.to_pylist(), strict=True):
                begins[base + doc, start] = place
            wanted = docs.to_pylist() + (rows["doc"].to_pylist() if base == reference_size else [])
            numbers = pa.array(sorted(set(wanted)), pa.int64())
            contents = columns.take_texts(collection, numbers).to_pylist()
            for doc, content in zip(numbers.to_pylist(), contents, strict=True):
                texts[base + doc] = _text_as_bytes_if_equal_to_file(
                    names[base + doc].as_py(), content
                )

        def make_passage(row: dict[str, Any]) -> sarif.RepeatedPassage:
            doc, other = row["doc"] + reference_size, row["earlier_doc"] + reference_size
            begin = begins[other, row["earlier_start"]]
            here = make_place(doc, row["start_byte"], row["end_byte"])
            there = make_place(other, begin, None)
            return sarif.RepeatedPassage(row["passage"], row["end"] - row["start"], here, there)

        file_of = cache(file_or_enclosing_file_or_same_source)

        def make_place(doc: int, start: int, end: int | None) -> sarif.Place:
            source = names[doc].as_py()
            return sarif.Place(
                source=source, file=file_of(source), text=texts[doc], start=start, end=end
            )

        promise = pages.typeset_sentence_with_inequality_signs(self.report["promise"])
        return sarif.make_sarif_log(map(make_passage, rows.to_pylist()), promise)

    def with_sources(self) -> pa.Table:
        """Return the table with the ``source`` and ``id`` of each row, and ``earlier_source``."""
        others = self.coverage if self.against is None else self.against
        docs, earlier = flat(self.table["doc"]), flat(self.table["earlier_doc"])
        named = self.table.append_column("source", self.coverage["source"].take(docs))
        named = named.append_column("id", self.coverage["id"].take(docs))
        return named.append_column("earlier_source", others["source"].take(earlier))

    def page(self, documents: int = _DOCUMENTS, listed: int = _MORE_DOCUMENTS) -> str:
        """Return a page to read: the share of each document that is elsewhere, and the passages.

        It shows the 20 passages that cover the most words, too.

        Args:
            documents: how many to show with their texts, and the places that others have.
            listed: how many more to show in a table.

        Raises:
            OptionError: one of them is no whole number, or too large.
        """
        documents = _COUNTED.check("documents", documents)
        listed = _COUNTED.check("listed", listed)
        frequent = self.frequent_passages(_FREQUENT)
        sources = [*chain(*(one["sources"] for one in frequent))]
        if not sources:
            sources = self.coverage["source"].drop_null().slice(0, _DOCUMENTS).to_pylist()
        sets = self.plain_evaluation_sets()
        return pages.render_page(
            "passages.html",
            "copied.js",
            report=self.report,
            say=ReportPhrases.of_report(self.report),
            folder=_common_folder_or_empty(self.coverage),
            other="" if self.against is None else _common_folder_or_empty(self.against),
            rows=all_sources_name_rows(self.coverage),
            common=pages.common_folder_prefix(sources),
            frequent=frequent,
            sets=[{**row, "begin": pages.first_words(row["example"], _BEGIN)} for row in sets],
            items=sum({row["set"]: row["items"] for row in sets}.values()),
            found=pc.count_distinct(self.contamination().items["item"]).as_py() if sets else 0,
            copied=self._page_values_of_copied(documents, listed),
        )

    def copied_parts(self, most: int | None = None) -> list[CopiedParts]:
        """Return which parts of documents are in others, those with most evidence first.

        Args:
            most: how many documents to return, those with most words elsewhere (default: all that
                have any).

        Returns:
            ``CopiedParts`` with ``doc`` as in ``coverage``; a source below 0 is a document of
            ``against``, whose last is -1.
        """
        reference_size = self._reference_size
        groups = self._repeated_runs.groups
        if groups is None:
            groups = pa.arange(0, reference_size + len(self.coverage))

        def read_texts(docs: pa.Array) -> list[str | None]:
            own = pc.subtract(docs, reference_size)
            return list(columns.take_texts(self._read.texts, own).to_pylist())

        word_spans_in_program = None
        if isinstance(programs := self._read.texts, ProgramTexts):

            def word_spans_in_program(doc: int, text: str) -> tuple[list[int], list[int]]:
                return programs.word_spans_in_program(doc - reference_size, text)

        parts = copied_parts_of_runs(
            self._repeated_runs,
            [groups],
            baseline_size=reference_size,
            read_texts=read_texts,
            max_documents=most,
            find_word_places=word_spans_in_program,
        )
        return [one.shift_document_numbers(-reference_size) for one in parts]

    def _page_values_of_copied(self, max_shown: int, max_listed: int) -> dict[str, Any]:
        """Return what a page says of words that are elsewhere: of some documents with their texts,
        and of some more in a table.
        """
        names = self.coverage.select(["source", "id"])
        reference_size = self._reference_size
        if self.against is not None:
            names = pa.concat_tables([self.against.select(["source", "id"]), names])
        parts_with_own_numbers = [
            one.shift_document_numbers(reference_size)
            for one in self.copied_parts(max_shown + max_listed)
        ]

        def read_texts(docs: Sequence[int]) -> list[str | None]:
            text_of = dict[int, str | None]()
            for texts, first, last in (
                (self._read.reference_texts, 0, reference_size),
                (self._read.texts, reference_size, len(names)),
            ):
                numbers = sorted({doc for doc in docs if first <= doc < last})
                if texts is not None and numbers:
                    rows = pa.array([number - first for number in numbers], pa.int64())
                    contents = columns.take_texts(texts, rows).to_pylist()
                    text_of |= zip(numbers, contents, strict=True)
            return [text_of[doc] for doc in docs]

        def find_pair(docs: tuple[int, int], texts: tuple[str, str]) -> PairPassages:
            as_ = self._read.texts.as_ if isinstance(self._read.texts, ProgramTexts) else None
            sources = [names["source"][doc].as_py() for doc in docs]
            return find_pair_passages(
                texts,
                sources,
                as_code=as_,
                rule=self._read.rule,
                running=self._read.running,
                max_shown=_MOST_STRETCHES,
            )

        min_words = self.report["options"]["words"]
        shares = self.coverage["elsewhere"]
        return plagiarism.read_values_of_copied_page(
            parts_with_own_numbers,
            names,
            read_texts,
            shares_of_all_copied_documents=shares.filter(pc.greater(shares, 0)).to_pylist(),
            most_shown=max_shown,
            least_words=min_words,
            among=self.against is None,
            find_pair=find_pair,
        )

    @suggest_arguments
    def plot(self, ax: Any = None) -> Any:
        """Draw where passages are in the documents with the most words in passages.

        See ``ilk.write.pictures``.
        """
        rows = self._most_covered_documents_with_runs(_SHOWN)
        return pictures.draw_strips(
            [
                pictures.Strip(
                    row["source"], row["words"], [pictures.Mark(*run) for run in row["runs"]]
                )
                for row in rows
            ],
            ax,
            unit="words",
            kinds=("first time", "again"),
        )

    def _repr_html_(self) -> str:
        counts = ("documents", "words", "passages", "in_documents")
        rows = [
            (
                str(row["words"]),
                row["occurrences"],
                row["documents"],
                pages.first_words(row["excerpt"]),
            )
            for row in self.frequent_passages(_SHOWN)
        ]
        return notebook.render_notebook_table(
            "Passages",
            self.report["promise"],
            numbers=[(name.replace("_", " "), self.report[name]) for name in counts],
            heads=("words", "places", "documents", "begins"),
            groups=[notebook.TableGroup(rows, 0, "")] if rows else (),
        )

    def _most_covered_documents_with_runs(self, max_documents: int) -> list[dict[str, Any]]:
        """Return the documents with the most words in passages, and where those are."""
        covered = pc.add(self.coverage["elsewhere"], self.coverage["itself"])
        taken = pc.multiply(covered, self.coverage["words"])
        rows = pc.select_k_unstable(flat(taken), max_documents, [("", "descending")])
        documents = self.coverage.take(rows.sort()).to_pylist()
        for document in documents:
            own = self.table.filter(pc.equal(self.table["doc"], document["doc"]))
            again = own["earlier_doc"].is_valid().to_pylist()
            spans = (own["start"].to_pylist(), own["end"].to_pylist(), again)
            document["runs"] = list(zip(*spans, strict=True))
        return [document for document in documents if document["runs"]]

    def places(self, row: int) -> pa.Table:
        """Return all places of the words of a row of the table, including those inside longer runs.

        Args:
            row: its number in the table, from 0.

        Returns:
            ``doc`` and ``start``, in reading order, as many as its ``occurrences``. With
            ``against``, a ``doc`` below 0 is in the other collection, whose last document is -1.
        """
        run = self.table.take(columns.check_row_numbers([row], 0, len(self.table) - 1)).to_pylist()[
            0
        ]
        reference_size = self._reference_size
        docs, starts = self._repeated_runs.kernel_runs.find_all_places_of_run(
            run["doc"] + reference_size, run["start"], run["end"]
        )
        return pa.table({"doc": pc.subtract(docs, reference_size), "start": starts})

    def _first_source_names_with_reference_first(self, docs: pa.Array) -> list[str]:
        """Return the names of the first of some documents, those of ``against`` before others."""
        own = docs.filter(pc.greater_equal(docs, 0))
        if self.against is None:
            return list(self.coverage["source"].take(own[:_SOURCES]).to_pylist())
        others = docs.filter(pc.less(docs, 0))
        # One of the documents that were searched is named too.
        others = pc.add(others[: _SOURCES - 1], len(self.against))
        names = self.against["source"].take(others).to_pylist()
        return [*names, *self.coverage["source"].take(own[: _SOURCES - len(names)]).to_pylist()]

    def frequent_passages(self, most: int) -> list[dict[str, Any]]:
        """Return the passages that cover the most words in all their places.

        Those that overlap with an earlier one in a document are left out.

        Returns:
            At most ``most``, each its first row of the table with its number, ``row``, and
            ``words``, how many ``documents`` have it, the first ``sources`` of these, those of
            ``against`` before others, the ``excerpt`` with which it begins, and whether that is
            ``cut``.
        """
        rows = pa.table([self.table["passage"], pa.arange(0, len(self.table))], ["passage", "row"])
        firsts = rows.group_by("passage", use_threads=False).aggregate([("row", "min")])
        start, end, occurrences = (
            self.table[name].take(firsts["row_min"]) for name in ("start", "end", "occurrences")
        )
        covered = pc.multiply(pc.subtract(end, start), occurrences)
        firsts = firsts.append_column("covered", covered)
        order = [("covered", "descending"), ("passage", "ascending")]
        # Only these rows are copied: of a large collection, the table may take half the memory.
        best = pc.select_k_unstable(firsts, min(len(firsts), _SOUGHT * most), order)
        numbers = firsts["row_min"].take(best)
        table = self.table.take(numbers).append_column("row", numbers)
        examples: list[dict[str, Any]] = []
        places_taken: dict[int, list[tuple[int, int]]] = {}
        for row in table.to_pylist():
            start, end = row["start"], row["end"]
            if any(
                start < stop and begin < end for begin, stop in places_taken.get(row["doc"], ())
            ):
                continue
            places = self.places(row["row"])
            docs = flat(places["doc"])
            for doc, at in zip(docs.to_pylist(), places["start"].to_pylist(), strict=True):
                places_taken.setdefault(doc, []).append((at, at + end - start))
            row["sources"] = self._first_source_names_with_reference_first(pc.unique(docs))
            row |= {"words": end - start, "documents": len(pc.unique(docs))}
            examples.append(row)
            if len(examples) == most:
                break
        docs = pa.array(sorted({row["doc"] for row in examples}), pa.int64())
        texts = columns.take_texts(self._read.texts, docs).to_pylist()
        contents = dict(zip(docs.to_pylist(), map(str.encode, texts), strict=True))
        for row in examples:
            content = contents[row["doc"]][row["start_byte"] : row["end_byte"]]
            row["cut"] = len(content) > _EXCERPT
            excerpt = content[:_EXCERPT].decode("utf-8", "ignore")
            row["excerpt"] = excerpt.rsplit(None, 1)[0] if row["cut"] else excerpt
        return examples


def _common_folder_or_empty(documents: pa.Table) -> str:
    """Return the folder that all documents have in common, with a slash, or an empty text."""
    # A prefix of the smallest and the largest name is a prefix of all.
    ends = pc.min_max(documents["source"]).as_py().values()
    return pages.common_folder_prefix([name or "" for name in ends])


def refuse_cut_of_programs(as_: str | None) -> None:
    """Refuse to cut passages out of programs.

    Raises:
        OptionError: texts are compared as programs.
    """
    if as_ is not None:
        raise OptionError(
            "`cut` takes out whole sentences, and programs have none; leave out `as_`, or write "
            "whole documents with `drop_above`."
        )


def _text_as_bytes_if_equal_to_file(source: str | None, text: str | None) -> bytes | None:
    """Return a text in UTF-8 if the file of that name holds it; None if its lines are others."""
    content = (text or "").encode()
    try:
        file = Path(unescape_source_name(source)) if source else None
        return content if file is not None and file.read_bytes() == content else None
    except (OSError, ValueError):
        return None
