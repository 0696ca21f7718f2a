"""Digests of payloads, as in WARC: ``sha1:`` and Base32 digits, or hexadecimal ones."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable

_ALGORITHMS = {"sha1", "sha256", "sha384", "sha512", "md5"}


def agrees(written: str, contents: Iterable[bytes]) -> bool | None:
    """Return whether a digest matches one of some contents; None if it cannot be read."""
    name, _, digits = written.partition(":")
    name = name.strip().lower().replace("-", "")
    if name not in _ALGORITHMS:
        return None
    size = hashlib.new(name, usedforsecurity=False).digest_size
    digest = _digest(digits.strip(), size)
    if digest is None:
        return None
    return any(
        hashlib.new(name, content, usedforsecurity=False).digest() == digest for content in contents
    )


def sha1(content: bytes) -> str:
    """Return the digest of a content, as most recorders write it."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def _digest(digits: str, size: int) -> bytes | None:
    """Return the ``size`` bytes that digits represent; None if they are invalid."""
    try:
        if len(digits) == 2 * size:
            return bytes.fromhex(digits)
        padding = "=" * (-len(digits.rstrip("=")) % 8)
        digest = base64.b32decode(digits.rstrip("=").upper() + padding)
    except (ValueError, binascii.Error):
        return None
    return digest if len(digest) == size else None
