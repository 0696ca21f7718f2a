"""Clusters of verified pairs: anchored on a keeper, or connected."""

from __future__ import annotations

import pyarrow as pa

from ilk import _kernels
from ilk.errors import OptionError

LINKAGES = ("anchored", "connected")


def keepers(left: pa.Array, right: pa.Array, ranking: pa.Array, linkage: str) -> pa.Array:
    """The keeper of every row: itself where nothing better is like it.

    Anchored: rows are taken best first; a row that no better row has taken becomes a keeper and
    takes every row it is paired with. So each member was verified against its keeper, and no chain
    of strangers makes a cluster. Connected: the best row of everything that pairs connect.

    Args:
        left, right: m verified pairs of rows (``int64``).
        ranking: all n rows, best first.
        linkage: ``anchored`` or ``connected``.

    Returns:
        n rows (``int64``).

    Raises:
        OptionError: the linkage is unknown.
    """
    check(linkage)
    kernel = _kernels.anchored if linkage == "anchored" else _kernels.connected
    return kernel(ranking, left, right)


def check(linkage: str) -> None:
    """Refuse an unknown linkage before any work.

    Raises:
        OptionError: the linkage is unknown.
    """
    if linkage not in LINKAGES:
        raise OptionError(f"linkage is {linkage!r}; it must be one of {', '.join(LINKAGES)}.")
