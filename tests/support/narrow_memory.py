"""Searches in little memory, so that sets stand in files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from ilk.base import mapped, resources
from ilk.base.run_options import Running


@contextmanager
def narrow_memory(room: int, piece: int = 20_000) -> Iterator[None]:
    """Leave a search ``room`` bytes; sets go into files by ``piece`` bytes."""
    with (
        mock.patch.object(mapped, "PIECE", piece),
        mock.patch.object(resources, "signed_memory_left_or_unbounded", return_value=room),
        mock.patch.object(Running, "of", return_value=Running(jobs=1, memory=1)),
    ):
        yield
