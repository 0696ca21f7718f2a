"""The passages of a collection: where they are, and how much of each document they cover."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow as columns
from ilk.arrow import flat
from ilk.base.errors import OptionError
from ilk.base.options import check_option, default
from ilk.search.passages import Repeated
from ilk.search.ranking import check_policies, rank_documents
from ilk.tasks.passages import cutting
from ilk.tasks.passages.cutting import Cut
from ilk.tasks.passages.writing import OutputPlace, ReadCollection
from ilk.write import accounts, notebook, pages, pictures

#: What a page shows at most: passages, bytes and sources of each, and documents.
_FREQUENT, _EXCERPT, _SOURCES, _DOCUMENTS = 20, 600, 10, 50

#: Passages, and documents, that a notebook shows.
_SHOWN = 8

#: What makes the groups of `across` that need no column.
_GROUPS = {"folder": "folder", "source": "file"}

#: How many times as many passages are looked at: many may overlap with others.
_SOUGHT = 20


class Sentences(NamedTuple):
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
    def of(cls, report: dict[str, Any]) -> Sentences:
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


@dataclass(frozen=True)
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
    _found: Repeated = field(repr=False)
    _read: ReadCollection = field(repr=False)

    def __repr__(self) -> str:
        report = self.report
        read = f"{report['documents']:,} documents of {report['words']:,} words"
        found = f"{report['passages']:,}, in {report['in_documents']:,} documents"
        return f"Passages: {found}\n  {read}\n  {report['promise']}"

    def cut(self) -> Cut:
        """Return the texts without their passages: each stays at its first place.

        Whatever an earlier place has is cut at word boundaries; nothing else changes, byte for
        byte. This is repeated until nothing is left to cut, so cutting the result cuts nothing
        more. With ``against``, whatever occurs there is cut everywhere.

        Raises:
            SourceChanged: a text has changed since it was read.
        """
        read = self._read
        return cutting.cut(
            read.texts,
            self.coverage,
            self._found,
            self.report["options"]["words"],
            held=read.against,
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
            keep: policies of ``ilk.search.ranking``, most important first.

        Returns:
            Ascending ``doc``.

        Raises:
            OptionError: the share or a policy is not allowed.
        """
        if (least := check_option("drop_above", share)) is None:
            raise OptionError("give the share of the words of a document, such as 0.5.")
        policies = [keep] if isinstance(keep, str) else list(keep)
        check_policies(policies)
        held = 0 if self.against is None else len(self.against)
        ranking = rank_documents(self._read.documents, policies)
        whole = pa.concat_arrays([pa.arange(0, held), pc.add(ranking, held)])
        gone = self._found.found.dropped(
            whole, held, least.numerator, least.denominator, self._found.groups
        )
        return pc.subtract(pa.array(gone, pa.int64()), held)

    def write(
        self,
        output: str | os.PathLike[str],
        *,
        cut: bool = default("cut"),
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
            drop_above, keep: write the documents that ``documents_to_drop`` leaves;
                ``dropped.parquet`` has the others.
            force: replace existing output.

        Returns:
            How many documents were written, and how many cuts made or documents dropped.

        Raises:
            OptionError: not exactly one of cut and drop_above is given; or the name of the
                output does not say how to write rows.
            OutputError: it cannot be written.
        """
        if cut == (drop_above is not None):
            raise OptionError("give exactly one of `cut` and `drop_above`.")
        place = OutputPlace(Path(output), self._read, force=force)
        if cut:
            made = self.cut()
            report = self.report | {"cut": {"column": place.column}}
            place.account(report, {accounts.CUTS: made.cuts}, pc.unique(made.cuts["doc"]))
            every = pa.repeat(True, len(self.coverage))
            return {"documents": place.write(every, made.texts), "cuts": len(made.cuts)}
        gone = self.documents_to_drop(drop_above or 0, keep)
        place.account(self.report, {accounts.DROPPED: self.coverage.take(gone)})
        kept = pc.invert(pc.is_in(pa.arange(0, len(self.coverage)), value_set=gone))
        return {"documents": place.write(kept), "dropped": len(gone)}

    def with_sources(self) -> pa.Table:
        """Return the table with the ``source`` and ``id`` of each row, and ``earlier_source``."""
        others = self.coverage if self.against is None else self.against
        docs, earlier = flat(self.table["doc"]), flat(self.table["earlier_doc"])
        named = self.table.append_column("source", self.coverage["source"].take(docs))
        named = named.append_column("id", self.coverage["id"].take(docs))
        return named.append_column("earlier_source", others["source"].take(earlier))

    def page(self) -> str:
        """Return a page to read: the passages that cover the most words, and where they are.

        It shows the 20 passages and the 50 documents with the most words in passages.
        """
        frequent, documents = self.frequent(_FREQUENT), self._strips(_DOCUMENTS)
        sources = [*chain(*(one["sources"] for one in frequent))]
        sources += [one["source"] for one in documents]
        if not sources:
            sources = self.coverage["source"].drop_null().slice(0, _DOCUMENTS).to_pylist()
        return pages.page(
            "passages.html",
            report=self.report,
            say=Sentences.of(self.report),
            common=pages.common(sources),
            frequent=frequent,
            documents=documents,
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw where passages are in the documents with the most words in passages.

        See ``ilk.write.pictures``.
        """
        rows = self._strips(_SHOWN)
        return pictures.strips([(row["source"], row["words"], row["runs"]) for row in rows], ax)

    def _repr_html_(self) -> str:
        counts = ("documents", "words", "passages", "in_documents")
        rows = [
            (str(row["words"]), row["occurrences"], row["documents"], pages.begins(row["excerpt"]))
            for row in self.frequent(_SHOWN)
        ]
        return notebook.table(
            "Passages",
            self.report["promise"],
            [(name.replace("_", " "), self.report[name]) for name in counts],
            ("words", "places", "documents", "begins"),
            [(rows, 0)] if rows else (),
        )

    def _strips(self, most: int) -> list[dict[str, Any]]:
        """Return the documents with the most words in passages, and where those are."""
        covered = pc.add(self.coverage["elsewhere"], self.coverage["itself"])
        taken = pc.multiply(covered, self.coverage["words"])
        rows = pc.select_k_unstable(flat(taken), most, [("", "descending")])
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
        run = self.table.take(columns.rows([row], 0, len(self.table) - 1)).to_pylist()[0]
        held = 0 if self.against is None else len(self.against)
        docs, starts = self._found.found.places(run["doc"] + held, run["start"], run["end"])
        return pa.table({"doc": pc.subtract(docs, held), "start": starts})

    def frequent(self, most: int) -> list[dict[str, Any]]:
        """Return the passages that cover the most words in all their places.

        Those that overlap with an earlier one in a document are left out.

        Returns:
            At most ``most``, each its first row of the table with its number, ``row``, and
            ``words``, how many ``documents`` have it, the first ``sources`` of these, the
            ``excerpt`` with which it begins, and whether that is ``cut``.
        """
        table = self.table.append_column("row", pa.arange(0, len(self.table)))
        firsts = table.group_by("passage", use_threads=False).aggregate([("row", "min")])
        table = table.take(firsts["row_min"])
        covered = pc.multiply(pc.subtract(table["end"], table["start"]), table["occurrences"])
        order = [("covered", "descending"), ("passage", "ascending")]
        table = table.append_column("covered", covered).sort_by(order)
        table = table.slice(0, min(len(table), _SOUGHT * most))
        shown: list[dict[str, Any]] = []
        taken: dict[int, list[tuple[int, int]]] = {}
        for row in table.to_pylist():
            start, end = row["start"], row["end"]
            if any(start < stop and begin < end for begin, stop in taken.get(row["doc"], ())):
                continue
            places = self.places(row["row"])
            docs = flat(places["doc"])
            for doc, at in zip(docs.to_pylist(), places["start"].to_pylist(), strict=True):
                taken.setdefault(doc, []).append((at, at + end - start))
            own = pc.unique(docs.filter(pc.greater_equal(docs, 0)))[:_SOURCES]
            row["sources"] = self.coverage["source"].take(own).to_pylist()
            row |= {"words": end - start, "documents": len(pc.unique(docs))}
            shown.append(row)
            if len(shown) == most:
                break
        docs = pa.array(sorted({row["doc"] for row in shown}), pa.int64())
        texts = columns.take_texts(self._read.texts, docs).to_pylist()
        contents = dict(zip(docs.to_pylist(), map(str.encode, texts), strict=True))
        for row in shown:
            content = contents[row["doc"]][row["start_byte"] : row["end_byte"]]
            row["cut"] = len(content) > _EXCERPT
            excerpt = content[:_EXCERPT].decode("utf-8", "ignore")
            row["excerpt"] = excerpt.rsplit(None, 1)[0] if row["cut"] else excerpt
        return shown
