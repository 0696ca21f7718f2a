"""Objects that are closed at the end of a ``with``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Something that is open until it is closed, or until its ``with`` ends."""

    @abstractmethod
    def close(self) -> None:
        """Free what it holds; closing it again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
