"""What is closed where a ``with`` ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Something that is open until it is closed, or a ``with`` of it ends."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what it holds; closed twice is closed."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()
