"""The result of a search: its families, pairs and report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.options import checked, default
from ilk.base.running import Running
from ilk.read.files.names import holders
from ilk.search.evidence import Thresholds
from ilk.search.gathered import Gathered
from ilk.search.report import LARGEST
from ilk.search.run import Search
from ilk.tasks.copied import Copied, copied, proof
from ilk.tasks.families import Family, families
from ilk.write import copied as writing
from ilk.write import notebook, page
from ilk.write.frames import Framed
from ilk.write.results import cluster_records, named_clusters


@dataclass(frozen=True, repr=False)
class Result(Framed):
    """The result of ``find``: families, to iterate over or as tables.

    Iterate over it to get families (``ilk.tasks.families.Family``), the largest first, with the
    sources and verdicts of their members; ``len`` counts them. ``to_arrow``, ``to_pandas`` and
    ``to_polars`` return a row per member with the columns of CSV and Parquet output, and ``labels``
    a row per document, to join to your own frame.

    Attributes:
        documents: one row per document: ``doc``, ``source``, ``id``, ``size`` (bytes as
            read), ``modified``, ``length`` (bytes of text), ``fingerprint``, ``digest``,
            ``bytes_digest`` and, if there is no fingerprint, the ``reason``.
        clusters: one row per document of a family of two or more: ``doc``, ``family``,
            ``cluster``, ``keeper``, its measures against the keeper and the ``verdict``; for a
            keeper, ``also_like`` is the document outside its cluster that it is most like, with
            ``also_resemblance`` and ``also_verdict``. Documents are named by their rows.
        contained: if containment was requested, one row per document that is contained in another
            one without being near it: ``left`` in ``right``, with their measures.
        report: counts, thresholds, failures and the largest clusters, as plain values.
    """

    documents: pa.Table
    clusters: pa.Table
    contained: pa.Table
    report: dict[str, Any]
    _search: Search = field(repr=False)
    _gathered: Gathered = field(repr=False)
    _texts: arrow.Texts = field(repr=False)

    @property
    def held(self) -> int:
        """How many documents, the first ones, are from ``against``."""
        return self._search.held

    @property
    def running(self) -> Running:
        """How the search ran."""
        return self._search.running

    def judge(self, left: pa.Array, right: pa.Array) -> pa.Table:
        """Measure pairs of documents; return their ``resemblance`` and both containments, exact.

        Args:
            left, right: m rows (``doc``, ``int64``) each; a pair at each position.
        """
        return self._gathered.evidence.judge(left, right, Thresholds())

    def texts(self, rows: Any) -> pa.Array:
        """Return the texts of some documents, read again; no texts are held.

        Args:
            rows: m rows (``doc``); the text of a document may be null.

        Raises:
            SourceChanged: the source's documents have changed.
        """
        wanted = pa.array(rows, pa.int64())
        once = pc.unique(wanted)
        once = once.take(pc.sort_indices(once))
        texts = arrow.taken(self._texts, once)
        return texts.take(pc.index_in(wanted, value_set=once))

    @cached_property
    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included, sorted by row.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        pairs = self._search.pairs()
        return pairs.filter(pc.greater_equal(pairs["right"], self.held)) if self.held else pairs

    @property
    def alarms(self) -> list[str]:
        """The reasons to look before anything is dropped; empty if nothing is suspicious."""
        return list(self.report["alarms"])

    def __iter__(self) -> Iterator[Family]:
        """Return the families, the largest first."""
        return families(named_clusters(self.documents, self.clusters, "size"))

    def __len__(self) -> int:
        """Return how many families there are."""
        return int(self.report["families"])

    def labels(self) -> pa.Table:
        """Return one row per document, in their order, to join to your own frame.

        Documents of ``against`` have no row.

        Returns:
            ``source`` and ``id``; ``family``, ``cluster`` and ``keeper`` (a source), null for a
            document in no family; ``verdict``: ``unique``, ``keeper``, or the verdict against the
            keeper; and its ``resemblance`` to the keeper.
        """
        at = pc.index_in(self.documents["doc"], value_set=arrow.flat(self.clusters["doc"]))
        rows = self.clusters.take(arrow.flat(at))
        keeper = pc.equal(rows["doc"], rows["keeper"])
        verdict = pc.if_else(keeper, "keeper", rows["verdict"])
        sources = arrow.flat(self.documents["source"])
        every = pa.table(
            {
                "source": sources,
                "id": self.documents["id"],
                "family": rows["family"],
                "cluster": rows["cluster"],
                "keeper": sources.take(arrow.flat(rows["keeper"])),
                "verdict": pc.coalesce(verdict, pa.scalar("unique")),
                "resemblance": rows["resemblance"],
            }
        )
        return every.slice(self.held)

    def to_arrow(self) -> pa.Table:
        """Return one row per member of a family, with the columns of CSV and Parquet output."""
        return named_clusters(self.documents, self.clusters)

    def copied(self, min_words: int = default("min_words")) -> list[Copied]:
        """Return which parts of documents are in others, word for word, the largest share first.

        With ``against``, for all documents except those of ``against``: runs of words that are in
        one of those, or else in another document; the first that has them counts. Otherwise, for
        the ``contained`` documents, what is in the document that contains them.

        Args:
            min_words: the least number of words in a run.

        Raises:
            OptionError: ``min_words`` is not a number of words.
            SourceChanged: the source's documents have changed.
        """
        least = checked("min_words", min_words)
        if self.held:
            return copied(self._texts, self.held, least, self.running)
        left, right = (self.contained[side].to_pylist() for side in ("left", "right"))
        both = zip(left, right, self.texts(left), self.texts(right), strict=True)
        return [proof(a, one.as_py(), b, other.as_py(), least) for a, b, one, other in both]

    def page(
        self,
        families: int | None = None,
        members: int | None = None,
        min_words: int = default("min_words"),
    ) -> str:
        """Return the report as one page of HTML that needs no network.

        If containment was requested, it shows which parts of documents are in others.

        Args:
            families: how many to show with texts, the largest first; the others are in a table. The
                same holds for documents with words that are elsewhere.
            members: how many members of a cluster to show with their differences from the keeper.
            min_words: as for ``copied``.
        """
        named = named_clusters(self.documents, self.clusters, "size", numbered=True)
        shown = page.Shown.of(named, families, members)
        docs = shown.docs()
        texts = self.texts(docs).to_pylist() if docs else []
        gone = named.filter(pc.invert(named["stays"]))["source"]
        losses = page.lost(_folders(self.documents["source"].slice(self.held)), _folders(gone))
        heads = ("folder", "documents", "like a keeper")
        by_doc = dict(zip(docs, texts, strict=True))
        more = ""
        if self.report["options"]["containment"] is not None:
            more = "".join(self._elsewhere(checked("report_families", families), min_words))
        numbers = notebook.numbers(self.report)
        return page.html(self.report, numbers, (heads, losses), shown, by_doc, more)

    def _elsewhere(self, most: int, least: int) -> Iterator[str]:
        """Yield the part of the page that shows which parts of documents are in others."""
        every = self.copied(least)
        named = {one.doc for one in every} | {source.doc for one in every for source in one.sources}
        docs = [one.doc for one in every[:most]]
        rows = self.documents.select(["source", "id"]).take(pa.array(sorted(named), pa.int64()))
        names = {
            doc: row["source"] if row["id"] is None else f"{row['source']} ({row['id']})"
            for doc, row in zip(sorted(named), rows.to_pylist(), strict=True)
        }
        if self.held:
            title = "What is also elsewhere, word for word"
            where = (
                "in a document of the other collection, or else in another document; the first one "
                "counts"
            )
            of = self.report["documents"]
            count = f" {len(every):,} of {of:,} documents have such runs."
        else:
            title = "Contained in another document"
            where, count = "in the document that contains it", ""
        return writing.section(
            title,
            f"This counts runs of at least {least:,} words that are {where}. Case, spaces and "
            f"punctuation do not count.{count}",
            every,
            names,
            dict(zip(docs, self.texts(docs).to_pylist(), strict=True)) if docs else {},
        )

    def __repr__(self) -> str:
        """Return the numbers, in a few lines."""
        report, count = self.report, len(self)
        read = f"{report['documents']:,} documents, {report['in_families']:,} of them in"
        families = "1 family" if count == 1 else f"{count:,} families"
        lines = [f"Result: {read} {families}", report["promise"]]
        lines += [f"alarm: {reason}" for reason in report["alarms"]]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        """Return the numbers and the largest families, for a notebook."""
        named = named_clusters(self.documents, self.clusters, "size", LARGEST)
        return notebook.found(self.report, cluster_records(named))


def _folders(sources: pa.ChunkedArray) -> Iterator[str]:
    """Yield the folder of each document."""
    return (next(holders(source), "") or "here" for source in sources.to_pylist())
