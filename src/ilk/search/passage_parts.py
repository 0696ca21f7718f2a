"""The words of documents, in memory or in files, and what is repeated in them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import IO, Any, NamedTuple

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base import resources
from ilk.base.checkpoints import NoWork, WorkFolder
from ilk.base.mapped import PIECE, MappedColumns
from ilk.base.run_options import Running
from ilk.search.passages import RepeatedWordRuns

#: Words may take one of this many parts of the memory before they go into files: the tables that
#: find what is repeated in them (``_TABLES``) take more, and everything else uses some.
_PARTS_OF_MEMORY = 4

#: Bytes of tables that a word takes while what is repeated is looked for, in one part.
_TABLES = 12

#: What stands in files: words, and what their grams have selected.
_NAMES = ("hashes", "values", "grams")
_KINDS = (pa.uint64(), pa.uint64(), pa.uint32())

_COPIES = ("place", "first", "grams")


class PassageRule(NamedTuple):
    """What counts as a passage: runs of ``min_words`` words or more, or of units with as many.

    Attributes:
        min_words: the least number of words.
        unit: ``words``, ``line``, ``sentence`` or ``paragraph``.
        base: texts; as many words in a row that stand in one of them are no passage. None has none.
        common: the hashes (``uint64``, ascending) of paragraphs and lines whose words are in no
            passage, as ``CountedBlocks.find_common_blocks`` gives them. None has none.
    """

    min_words: int
    unit: str = "words"
    base: pa.ChunkedArray | None = None
    common: pa.Array | None = None


class CollectedWords:
    """The words of documents that are added one after the other.

    Words that do not fit into the memory stand in files, and what is repeated in them is found part
    by part, in as many as the memory asks for. The answer is the same.
    """

    def __init__(
        self,
        rule: PassageRule,
        running: Running,
        work: WorkFolder | NoWork | None = None,
        *,
        resumes: bool = False,
        parts: int = 0,
        piece: int = PIECE,
    ) -> None:
        """Hold nothing yet, or what an interrupted run has left.

        Args:
            rule: what counts as a passage.
            work: keeps what is done, if it is a folder to work in.
            resumes: whether all words are in it already.
            parts: in how many parts to look; 0 follows from the memory.
            piece: bytes of words that go into files at a time.
        """
        self._resumes, self._piece = resumes, piece
        self._min_words, self._running, self._parts = rule.min_words, running, parts
        self._limit = running.memory or resources.UNBOUNDED
        self._work = work or NoWork()
        self._collection = _kernels.Collection(running.jobs, rule.unit, rule.min_words)
        self._word_files: MappedColumns | None = None
        free_bytes = running.memory - resources.resident_memory_or_zero()
        self._max_bytes_in_memory = max(piece, free_bytes // _PARTS_OF_MEMORY)
        if isinstance(self._work, WorkFolder) or parts:
            self._max_bytes_in_memory = piece
            self._word_files = self._open_or_make_word_files()
        self._common = rule.common
        self._base_size = 0 if rule.base is None else len(rule.base)
        if rule.base is not None and not resumes:
            # Before all others, so that the first place of its words is in it.
            self.add_words_of(rule.base)

    def leave_out_blocks_of_later_texts(self, common_hashes: pa.Array) -> None:
        """From now on, leave out the words of ``PassageRule.common``, with these hashes."""
        self._common = common_hashes

    def add_words_of(self, texts: arrow.Chunks) -> None:
        """Add the words of some documents."""
        bounded = self._word_files is not None or self._running.memory
        for piece in arrow.kernel_chunks(texts):
            self._collection.add(piece, self._common)
            if bounded and self._collection.nbytes > self._max_bytes_in_memory:
                self._move_words_to_files()

    def save_words_if_in_files(self) -> None:
        """Keep what was added, where an interrupted run would resume from it."""
        if self._word_files is not None:
            self._move_words_to_files()
            self._load_or_save_document_ends()

    def find_repeated_and_release_words(
        self,
        groups: pa.Array | None = None,
        follow_share: Callable[[float], object] | None = None,
        *,
        reference_size: int = 0,
    ) -> RepeatedWordRuns:
        """Return the runs of words that are repeated; the words themselves are released.

        Args:
            groups: as of ``RepeatedWordRuns``.
            follow_share: takes the share of the work that is done.
            reference_size: how many documents, the first ones, are those of group 0, which all
                others are searched for. Runs that are in none of them are only counted then, which
                takes less memory.
        """
        if self._word_files is None:
            found = self._collection.find_repeated_outside_base(
                self._min_words, follow_share, self._base_size, reference_size
            )
            return RepeatedWordRuns(found, groups)
        word_files = self._word_files
        if not self._resumes:
            self._move_words_to_files()
        ends = arrow.flat(self._load_or_save_document_ends()["end"])
        hashes, values, positions = word_files.close_and_map_columns()
        words = _kernels.DocumentWords(hashes=hashes, document_ends=ends)
        grams = _kernels.SelectedGrams(values=values, positions=positions)
        word_files.release_pages_and_freed_memory()
        reserve = max(self._piece, self._running.memory - resources.resident_memory_or_zero())
        # Rounded up. Without a limit of memory one part is fastest: each part reads all words.
        parts = self._parts or -(-_TABLES * len(hashes) // reserve)
        parts = parts if self._running.memory or self._parts else 1

        def find_copies(part: int) -> pa.Table:
            def drop_pages_and_follow(share: float) -> None:
                word_files.drop_pages_if_over_limit()
                if follow_share is not None:
                    follow_share((part + share) / parts)

            columns = _kernels.find_copies(
                words, grams, self._min_words, part, parts, drop_pages_and_follow
            )
            resources.release_freed_memory()
            return pa.table(list(columns), names=list(_COPIES))

        copies = MappedColumns([pa.uint32()] * len(_COPIES), self._limit, self._running.folder)
        counts = []
        with closing(copies):
            for part in range(max(1, parts)):
                table = self._work.load_or_make(
                    f"copies-{part}-of-{parts}", partial(find_copies, part)
                )
                copies.append([arrow.flat(table[name]) for name in _COPIES])
                counts.append(len(table))
                del table
            copy_columns, begins = (
                copies.close_and_map_columns(),
                [0, *itertools.accumulate(counts)],
            )
        word_files.release_pages_and_freed_memory()
        copies_by_part = [
            (
                copy_columns[0].slice(begin, count),
                copy_columns[1].slice(begin, count),
                copy_columns[2].slice(begin, count),
            )
            for begin, count in zip(begins, counts, strict=False)
        ]
        kernel_runs = _kernels.RepeatedRuns.from_copies(
            words,
            self._min_words,
            copies_by_part,
            lambda _: copies.drop_pages_if_over_limit(),
            self._base_size,
            reference_size,
        )
        word_files.release_pages_and_freed_memory()
        return RepeatedWordRuns(kernel_runs, groups)

    def _load_or_save_document_ends(self) -> pa.Table:
        return self._work.load_or_make(
            "ends", lambda: pa.table({"end": self._collection.document_ends()})
        )

    def _move_words_to_files(self) -> None:
        self._word_files = self._word_files or self._open_or_make_word_files()
        self._word_files.append(self._collection.hand_over_new_words_and_grams(self._min_words))
        self._max_bytes_in_memory = self._piece

    def _open_or_make_word_files(self) -> MappedColumns:
        folder, limit = self._running.folder, self._limit
        if not isinstance(self._work, WorkFolder):
            return MappedColumns(_KINDS, limit, folder)
        paths = iter([self._work.numbers_file_path(name) for name in _NAMES])

        def open_next_file_at_end(**arguments: Any) -> IO[bytes]:
            mode = "r+b" if self._resumes else "w+b"
            opened: IO[bytes] = next(paths).open(mode, arguments["buffering"])
            opened.seek(0, os.SEEK_END)  # What an interrupted run has written stays.
            return opened

        return MappedColumns(_KINDS, limit, folder, open_next_file_at_end)
