"""datatrove: steps that drop duplicates in a pipeline, with its statistics."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ilk import Store
from ilk.companions import deduplicate_refusing_file_options
from ilk.plugins import MissingExtra, OptionError, arrow

try:
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.filters.base_filter import BaseFilter
    from datatrove.utils.typeshelper import StatHints
except ImportError as error:
    raise MissingExtra("datatrove", "datatrove") from error

__all__ = ["IlkDedup", "IlkFilter"]


class IlkDedup(PipelineStep):  # type: ignore[misc]
    """Drops the documents of a pipeline that ``ilk.deduplicate`` would drop.

    It sees all documents at once, and holds them in memory: run it as one task. Dropped documents
    go to ``exclusion_writer``, with ``filter_reason`` and ``ilk_keeper`` (an id) in their metadata.

    Args:
        exclusion_writer: a writer of datatrove, for dropped documents.
        accept_alarm: drop despite an alarm.
        options: those of ``ilk.deduplicate``, except for columns and files.
    """

    type = "🫂 - DEDUP"
    name = "ilk"

    def __init__(
        self, exclusion_writer: Any = None, *, accept_alarm: bool = False, **options: Any
    ) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self._accept_alarm, self._options = accept_alarm, options

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yield the kept documents, in their order.

        Raises:
            AlarmRaised: so much would be dropped that a person should look first.
            OptionError: it runs as several tasks, each of which would see only a part.
        """
        if world_size > 1:
            raise OptionError(
                f"IlkDedup runs as {world_size} tasks, and each would see only part of the "
                "documents; run it with tasks=1, or use IlkFilter, whose tasks share a store."
            )
        documents = list(data)
        texts = arrow.import_texts([document.text for document in documents])
        with self.track_time("batch"):
            result = deduplicate_refusing_file_options(
                pa.table({"text": texts}), "text", self._options
            )
            result.refuse_alarm(self._accept_alarm)
        dropped = {row["doc"]: row for row in result.dropped_rows.to_pylist()}
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for row, document in enumerate(documents):
                self.stat_update(StatHints.total)
                why = dropped.get(row)
                if why is None:
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document
                    continue
                self.stat_update(StatHints.dropped, f"dropped_{why['verdict']}")
                if writer is not None:
                    document.metadata["filter_reason"] = why["verdict"]
                    keeper = why["keeper"]
                    # A keeper without a row is of the reference (`against`).
                    document.metadata["ilk_keeper"] = (
                        why["keeper_id"] if keeper is None else documents[keeper].id
                    )
                    writer.write(document, rank)


class IlkFilter(BaseFilter):  # type: ignore[misc]
    """Drops documents that are like one in a store, and adds all others to it.

    Tasks and later runs share the store: one adds at a time, and the others wait. Which of two
    similar documents of two tasks comes first is random.

    Args:
        store: the file of the store, created if missing.
        exclusion_writer: a writer of datatrove, for dropped documents.
        batch_size: documents to compare together.
    """

    name = "ilk store"

    def __init__(self, store: str, exclusion_writer: Any = None, batch_size: int = 256) -> None:
        """Keep the path; the task opens the store where it runs."""
        super().__init__(exclusion_writer, batch_size)
        self._path = store

    def filter(self, doc: Any) -> Any:
        """Return whether a document is kept, or why not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: Any) -> list[Any]:
        """Return for each document whether it is kept, or why not."""
        documents = list(batch)
        table = pa.table(
            {
                "text": arrow.import_texts([document.text for document in documents]),
                "source": pa.array([document.id for document in documents], pa.string()),
            }
        )
        with Store(self._path, jobs=1) as store:
            told = store.add_many(table, on_duplicate="refuse")
        return [
            True if one.id is not None else (False, next(m.verdict for m in one.matches if m.same))
            for one in told
        ]
