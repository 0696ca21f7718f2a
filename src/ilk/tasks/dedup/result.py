"""The result of a deduplication: what is kept and why the rest is not, to look at and to write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import AlarmRaised
from ilk.read.rows import DataSet
from ilk.tasks.families import Family, families
from ilk.write import accounts, notebook, page
from ilk.write.frames import Framed
from ilk.write.results import named_rows

#: Families with texts, and members of a cluster with differences, on the page that every run
#: writes: few, since perhaps nobody looks at it. ``page`` shows more.
_FAMILIES, _MEMBERS = 20, 3


@dataclass(frozen=True, repr=False)
class Deduplicated(Framed):
    """The kept rows of a data set, and the reasons why the others are not kept.

    Attributes:
        records: the rows.
        clusters: one row per document of a family of two or more: ``doc``, ``family``,
            ``cluster``, ``keeper``, its verdict and its measures against the keeper, and what else
            a keeper is like.
        dropped: one row per dropped document: ``doc``, ``source``, ``id``, its ``keeper`` (doc,
            source and id), the ``verdict``, its measures, and the ``policy`` that chose the keeper.
        report: counts, options, timings and the largest clusters, as plain values.
    """

    records: DataSet
    clusters: pa.Table
    dropped: pa.Table
    report: dict[str, Any]

    @cached_property
    def kept(self) -> pa.BooleanArray:
        """Per row whether it is kept."""
        docs = pa.arange(0, self.records.rows())
        return pc.invert(pc.is_in(docs, value_set=arrow.flat(self.dropped["doc"])))

    @property
    def alarms(self) -> list[str]:
        """The reasons to look before anything is dropped; empty if nothing is suspicious."""
        return list(self.report["alarms"])

    def write(
        self,
        output: str | os.PathLike[str],
        *,
        annotate: bool = False,
        accept_alarm: bool = False,
        force: bool = False,
    ) -> None:
        """Write the kept rows, unchanged, and the folder of accounts beside them.

        Args:
            output: a file; or a folder, for one file per source. The accounts go to
                ``output.ilk/``.
            annotate: write all rows, with columns after their own: ``ilk_cluster``,
                ``ilk_verdict`` (``unique``, ``keeper``, or why it would be dropped),
                ``ilk_keeper`` (a source) and ``ilk_resemblance``.
            accept_alarm: write despite an alarm.
            force: replace existing output.

        Raises:
            AlarmRaised: there is an alarm; nothing is written.
            OutputError, OptionError: it cannot be written there (see ``DataSet.check``).
            SourceChanged: a file has changed since it was read.
        """
        self.refuse_alarm(accept_alarm)
        self.records.check(os.fspath(output), force=force, notes=annotate)
        self.account(accounts.folder(output))
        rows, notes = self._written(annotate)
        self.records.write(rows, os.fspath(output), notes=notes, force=force)

    def stream(self, out: IO[bytes], *, annotate: bool = False, accept_alarm: bool = False) -> None:
        """Write the kept rows, unchanged, into an open file; there is no folder of accounts.

        Args:
            out: open for writing.
            annotate, accept_alarm: as for ``write``, which raises the same errors.
        """
        self.refuse_alarm(accept_alarm)
        rows, notes = self._written(annotate)
        self.records.stream(rows, out, notes=notes)

    def refuse_alarm(self, accepted: bool) -> None:
        """Raise AlarmRaised if there is an alarm that was not accepted."""
        if self.alarms and not accepted:
            raise AlarmRaised(self.alarms, self)

    def _written(self, annotate: bool) -> tuple[pa.Array, pa.Table | None]:
        """Return per row whether it is written, and the notes of all rows."""
        if annotate:
            return pa.repeat(True, self.records.rows()), self.notes()
        return self.kept, None

    def notes(self) -> pa.Table:
        """Return what was found for each row, as columns to add after its own."""
        docs = arrow.flat(self.clusters["doc"])
        at = pc.index_in(pa.arange(0, self.records.rows()), value_set=docs)
        rows = self.clusters.take(at)
        verdict = pc.if_else(rows["policy"].is_valid(), rows["verdict"], "keeper")
        found = {
            "ilk_cluster": rows["cluster"],
            "ilk_verdict": pc.if_else(at.is_valid(), verdict, "unique"),
            "ilk_keeper": rows["keeper_source"],
            "ilk_resemblance": rows["resemblance"],
        }
        return pa.table({name: arrow.flat(column) for name, column in found.items()})

    def to_arrow(self) -> pa.Table:
        """Return the kept rows: all columns for tables and Parquet; source, id and text for other
        files.
        """
        return self.records.table(self.kept)

    def __iter__(self) -> Iterator[Family]:
        """Return the families, in the order of their first rows."""
        return families(named_rows(self.clusters))

    def __repr__(self) -> str:
        """Return the numbers, in a few lines."""
        report = self.report
        rows = f"{report['documents']:,} rows, {report['kept']:,} of them kept"
        dropped = (f"{count:,} {verdict}" for verdict, count in report["dropped"].items())
        lines = [f"Deduplicated: {rows}"]
        lines += [f"dropped: {', '.join(dropped)}"] if report["dropped"] else []
        return "\n  ".join([*lines, report["promise"]])

    def _repr_html_(self) -> str:
        """Return the numbers, for a notebook."""
        return notebook.summary(self.report) + f"<p>{escape(self.report['promise'])}</p>"

    def page(self, families: int | None = None, members: int | None = None) -> str:
        """Return the report as one page of HTML that needs no network.

        Args:
            families: how many to show with texts, the largest first; the others are in a table.
            members: how many members of a cluster to show with their differences from the keeper.
        """
        shown = page.Shown.of(named_rows(self.clusters, "size", numbered=True), families, members)
        docs = shown.docs()
        texts = self.records.texts(pa.array(docs, pa.int64())).to_pylist() if docs else []
        heads = ("source", "rows", "dropped as copies", "dropped as near")
        losses = [
            (row["source"] or "the table", row["rows"], row["copies"], row["near"])
            for row in self.report["sources"]
        ]
        losses.sort(key=lambda row: (-row[2] - row[3], -row[1], row[0]))
        numbers = notebook.summary(self.report)
        by_doc = dict(zip(docs, texts, strict=True))
        return page.html(self.report, numbers, (heads, losses), shown, by_doc)

    def account(self, folder: Path) -> None:
        """Write what was found, and what is dropped and why, into a folder.

        Raises:
            OutputError: it cannot be written there.
        """
        rejected = [
            {
                "source": row.source,
                row.unit: row.at,
                "reason": row.reason,
                "content": row.data.rstrip(b"\r\n").decode("utf-8", "backslashreplace"),
            }
            for row in self.records.rejected()
        ]
        shown = self.page(_FAMILIES, _MEMBERS)
        accounts.write(folder, self.clusters, rejected, self.report, shown)
