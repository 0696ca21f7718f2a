"""What the system says of many files at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.read.files.content import unescape_source_name

#: Whether the bytes of a path are those of its text: so on all systems of today.
_IS_UTF8 = sys.getfilesystemencoding() == "utf-8"


class FileFacts(NamedTuple):
    """What the system says of n files; null of one that is not there, and elsewhere than on Unix.

    Attributes:
        sizes: their bytes (``int64``).
        modified: their last changes, in µs since 1970 (``int64``).
        identities: the device and the number of each file there, 16 bytes.
    """

    sizes: pa.Array
    modified: pa.Array
    identities: pa.Array


def stat_files(paths: pa.Array, follow_links: pa.Array) -> FileFacts:
    """Ask the system about files, and open none.

    Args:
        paths: n paths, as ``encode_paths`` returns them.
        follow_links: whether each is followed if it is a link.
    """
    return FileFacts(*_kernels.stat_sizes_mtimes_and_identities(paths, follow_links))


def encode_paths(paths: Sequence[str]) -> pa.Array:
    """Return paths as the system has them (``large_binary``)."""
    try:
        if _IS_UTF8:
            return pa.array(paths, pa.large_string()).cast(pa.large_binary())
    except UnicodeEncodeError:
        pass  # One is not UTF-8.
    return pa.array(map(os.fsencode, paths), pa.large_binary())


def encode_paths_of_sources(names: pa.Array) -> pa.Array:
    """Return the paths of files as the system has them, by their sources (``large_binary``)."""
    if _IS_UTF8 and not pc.any(pc.match_substring(names, "\\x")).as_py():
        return names.cast(pa.large_binary())
    return encode_paths([unescape_source_name(name) for name in names.to_pylist()])
