"""Sizes as people read them; records hold bytes."""

from __future__ import annotations


def spell_size(byte_count: float) -> str:
    """Return bytes in decimal units, as disks are sold.

    >>> spell_size(999), spell_size(1_250_000)
    ('999 B', '1.2 MB')
    """
    count = byte_count
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 99.95 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"
