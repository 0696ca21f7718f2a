"""The site of each document, and what two documents of one site must share.

Pages of one site share its template, its menus and its terms, so a resemblance that indicates
copies across sites means little within a site.

Source: Henzinger 2006, "Finding near-duplicate web pages: a large-scale evaluation of algorithms",
section 4: both algorithms work well for near-duplicates of different sites, but not within one
site.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import OptionError

#: The schemes of web addresses, with the port that each of them means.
_DEFAULT_PORTS = {"http": 80, "https": 443}


def site_numbers_or_null_refusing_none(
    documents: pa.Table, representatives: pa.Array, roots: Sequence[str | os.PathLike[str]] = ()
) -> pa.Int64Array:
    """Return for each document the number of its site; null without one, or if on several.

    The site is the host of the document's address; if no address is a URL, the first folder below
    the given path.

    Args:
        documents: n documents with ``id``, ``source`` and, for pages, ``declared``.
        representatives: per document the best one with an equal digest; if copies of one text are
            of several sites, that text has no site.
        roots: the paths that were given.

    Raises:
        OptionError: no document has a site.
    """
    site_names = [
        None if url is None else site_of_web_url_or_none(url)
        for url in ids_or_declared_links_or_null(documents).to_pylist()
    ]
    if not any(site_names):
        site_names = _first_folders_below_or_none(documents["source"].to_pylist(), roots)
    if len(site_names) and not any(site_names):
        raise OptionError(
            "`same_site` needs a site for each document, but none has one: no id is a URL (name "
            "the column of URLs with `id`), and no document is in a folder below the given path."
        )
    numbers = pa.array(site_names, pa.string()).dictionary_encode().indices.cast(pa.int64())
    table = pa.table({"text": representatives, "site": pc.fill_null(numbers, -1)})
    sides = table.group_by("text", use_threads=False).aggregate([("site", "min"), ("site", "max")])
    one = pc.equal(sides["site_min"], sides["site_max"])
    known = pc.and_(one, pc.greater_equal(sides["site_min"], 0))
    found = pc.if_else(known, sides["site_min"], pa.scalar(None, pa.int64()))
    return arrow.flat(found).take(pc.index_in(representatives, value_set=arrow.flat(sides["text"])))


def ids_or_declared_links_or_null(documents: pa.Table) -> pa.StringArray:
    """Return for each document its id, or else the link that its page declares; or null."""
    if "declared" not in documents.column_names:
        return arrow.flat(documents["id"])
    return arrow.flat(pc.coalesce(documents["id"], pc.struct_field(documents["declared"], "link")))


def site_of_web_url_or_none(url: str) -> str | None:
    """Return the host of a web address with its port, without a leading ``www.``; None without one.

    >>> site_of_web_url_or_none("https://www.Example.org:8080/page")
    'example.org:8080'
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return None
    host = host.rstrip(".").removeprefix("www.")
    return host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"


def _first_folders_below_or_none(
    sources: Iterable[str], roots: Sequence[str | os.PathLike[str]]
) -> list[str | None]:
    begins = [f"{os.fspath(root).rstrip('/')}/" for root in roots]
    found: list[str | None] = []
    for source in sources:
        below = next((source[len(one) :] for one in begins if source.startswith(one)), "")
        folder, slash, _ = below.partition("/")
        found.append(folder if slash else None)
    return found
