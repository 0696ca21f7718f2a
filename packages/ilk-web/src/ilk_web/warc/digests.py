"""Digests of payloads, as in WARC: ``sha1:`` and Base32 digits, or hexadecimal ones."""

from __future__ import annotations

import base64
import hashlib
import re
import string
from collections.abc import Iterable

#: Algorithms, and the bytes of their digests.
_SIZES = {"sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64, "md5": 16}

_BASE32 = re.compile(r"[A-Z2-7]*")

#: The digits of Base32 as those of a number.
_AS_NUMBER = str.maketrans(
    string.ascii_uppercase + "234567", string.digits + string.ascii_lowercase[:22]
)


def matches_digest_if_readable(stated_digest: str, contents: Iterable[bytes]) -> bool | None:
    """Return whether a digest matches one of some contents; None if it cannot be read."""
    name, _, digits = stated_digest.partition(":")
    name = name.strip().lower().replace("-", "")
    if name not in _SIZES:
        return None
    digest = _decode_digest_or_none(digits.strip(), _SIZES[name])
    if digest is None:
        return None
    hashed = getattr(hashlib, name)
    return any(hashed(content, usedforsecurity=False).digest() == digest for content in contents)


def spell_sha1(content: bytes) -> str:
    """Return the digest of a content, as most recorders write it."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def _decode_digest_or_none(digits: str, byte_count: int) -> bytes | None:
    """Return the bytes that digits represent; None if they are invalid, or of another number."""
    digits = digits.rstrip("=").upper()
    if len(digits) == 2 * byte_count:
        try:
            return bytes.fromhex(digits)
        except ValueError:
            return None
    unused = 5 * len(digits) - 8 * byte_count  # Bits of the last digit.
    if not (0 <= unused < 5 and _BASE32.fullmatch(digits)):
        return None
    return (int(digits.translate(_AS_NUMBER), 32) >> unused).to_bytes(byte_count, "big")
