"""The limits for reading one document: no file, however it was made, uses more."""

from __future__ import annotations

from dataclasses import dataclass

from ilk.base.options import checked, default

#: Bytes that any file may unpack to, whatever its size.
SMALL = 16_000_000


class Unfit(Exception):
    """A document without usable text; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one document; the table of options explains each, as ``limit_...``.

    Attributes:
        memory: bytes of memory for the process that reads it.
        text: bytes of its text.
        unpacked: bytes that it may unpack to, with everything in it.
        ratio: the same as a multiple of its own size.
        nesting: archives in archives.
    """

    memory: int = default("limit_memory")
    text: int = default("limit_text")
    unpacked: int = default("limit_unpacked")
    ratio: int = default("limit_ratio")
    nesting: int = default("limit_nesting")

    @classmethod
    def of(
        cls,
        *,
        memory: str | int | None = None,
        text: str | int | None = None,
        unpacked: str | int | None = None,
        ratio: int | None = None,
        nesting: int | None = None,
    ) -> Limits:
        """Check keyword arguments; None means the default.

        Raises:
            OptionError: one is out of bounds.
        """
        return cls(
            checked("limit_memory", memory),
            checked("limit_text", text),
            checked("limit_unpacked", unpacked),
            checked("limit_ratio", ratio),
            checked("limit_nesting", nesting),
        )

    @property
    def part(self) -> int:
        """Bytes of one file in an archive, which is held in memory several times."""
        return self.memory // 4

    def check(self, unpacked: int, size: int) -> None:
        """Refuse a file of ``size`` bytes that unpacks to too much.

        Raises:
            Unfit: with the option that would allow it.
        """
        if unpacked > self.unpacked:
            raise Unfit(
                f"unpacks to {unpacked:,} bytes or more, but --limit unpacked allows "
                f"{self.unpacked:,}"
            )
        if unpacked > SMALL and unpacked > self.ratio * size:
            raise Unfit(
                f"unpacks to {unpacked // max(size, 1):,} times its size or more, but "
                f"--limit ratio allows {self.ratio:,}"
            )

    def too_large(self, size: int) -> str:
        """Return why a file in an archive is not read."""
        return f"has {size:,} bytes or more, but a quarter of --limit memory is {self.part:,}"
