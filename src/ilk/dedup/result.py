"""What is kept of a data set, and why the rest is not: to look at, and to write."""

from __future__ import annotations

import importlib
import importlib.util
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.errors import AlarmRaised, MissingExtra
from ilk.readers.rows import DataSet
from ilk.writers import accounts, page

#: Characters of a keeper that the report shows.
_EXCERPT = 600


@dataclass(frozen=True)
class Deduplicated:
    """What is kept of a data set, and why the rest is not.

    Attributes:
        records: the rows.
        clusters: one row per document of a cluster of two or more: ``doc``, ``cluster``,
            ``keeper``, and its measures against the keeper.
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
        return pc.invert(pc.is_in(docs, value_set=columns.flat(self.dropped["doc"])))

    @property
    def alarms(self) -> list[str]:
        """Why a person should look before anything is dropped; empty if nothing is suspicious."""
        return list(self.report["alarms"])

    def write(
        self,
        output: str | os.PathLike[str],
        *,
        annotate: bool = False,
        accept_alarm: bool = False,
        force: bool = False,
    ) -> None:
        """Write the kept rows, unchanged, and beside them the folder of accounts.

        Args:
            output: a file; or a folder, for one file a source. The accounts are in ``output.ilk/``.
            annotate: write all rows, with columns behind their own: ``ilk_cluster``,
                ``ilk_verdict`` (``unique``, ``keeper``, or why it would be dropped),
                ``ilk_keeper`` (a source) and ``ilk_resemblance``.
            accept_alarm: write although there is an alarm.
            force: replace what is there.

        Raises:
            AlarmRaised: there is an alarm; nothing is written.
            OutputError, OptionError: it cannot be written there (see ``DataSet.check``).
            SourceChanged: a file has changed since it was read.
        """
        if self.alarms and not accept_alarm:
            raise AlarmRaised(self.alarms, self)
        self.records.check(os.fspath(output), force=force, notes=annotate)
        self.account(accounts.folder(output))
        if annotate:
            every = pa.repeat(True, self.records.rows())
            self.records.write(every, os.fspath(output), notes=self.notes(), force=force)
        else:
            self.records.write(self.kept, os.fspath(output), force=force)

    def notes(self) -> pa.Table:
        """Per row what was found of it, as columns to put behind its own."""
        docs = columns.flat(self.clusters["doc"])
        at = pc.index_in(pa.arange(0, self.records.rows()), value_set=docs)
        rows = self.clusters.take(at)
        verdict = pc.if_else(rows["policy"].is_valid(), rows["verdict"], "keeper")
        found = {
            "ilk_cluster": rows["cluster"],
            "ilk_verdict": pc.if_else(at.is_valid(), verdict, "unique"),
            "ilk_keeper": rows["keeper_source"],
            "ilk_resemblance": rows["resemblance"],
        }
        return pa.table({name: columns.flat(column) for name, column in found.items()})

    def to_arrow(self) -> pa.Table:
        """The kept rows: of tables and Parquet all columns, of other files source, id and text."""
        return self.records.table(self.kept)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame.

        Raises:
            MissingExtra: pandas is not installed.
        """
        if importlib.util.find_spec("pandas") is None:
            raise MissingExtra("pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The same as a Polars data frame.

        Raises:
            MissingExtra: Polars is not installed.
        """
        if importlib.util.find_spec("polars") is None:
            raise MissingExtra("polars", "polars")
        return importlib.import_module("polars").from_arrow(self.to_arrow())

    def _repr_html_(self) -> str:
        """The numbers, for a notebook."""
        return page.summary(self.report)

    def account(self, folder: Path) -> None:
        """Write what was found, and what is dropped and why, into a folder.

        Raises:
            OutputError: it cannot be written there.
        """
        keepers = pa.table(
            {
                "cluster": [row["cluster"] for row in self.report["largest"]],
                "doc": pa.array([row["keeper"] for row in self.report["largest"]], pa.int64()),
            }
        )
        keepers = keepers.filter(pc.is_valid(keepers["doc"])).sort_by("doc")
        texts = self.records.texts(keepers["doc"]) if len(keepers) else []
        shown = (str(text)[:_EXCERPT] for text in texts)
        excerpts = dict(zip(keepers["cluster"].to_pylist(), shown, strict=True))
        rejected = [
            {
                "source": row.source,
                row.unit: row.at,
                "reason": row.reason,
                "content": row.data.rstrip(b"\r\n").decode("utf-8", "backslashreplace"),
            }
            for row in self.records.rejected()
        ]
        accounts.write(folder, self.clusters, rejected, self.report, excerpts)
