"""Hosts and folders that mirror one another, found from the pages of a crawl.

Two folders mirror one another if for most paths that exist below both, the pages are identical or
near-identical. Shared pages nominate folders to compare; all pages at common paths decide how they
are related.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ilk import SearchResult
from ilk.companions import (
    default,
    ids_or_declared_links_or_null,
    parse_times_in_microseconds,
    pipeline,
    report_head,
)
from ilk.plugins import (
    ColumnTypeError,
    NothingRead,
    OptionError,
    Progress,
    accept_true_as_progress,
    check_option,
)
from ilk_web.errors import UrlError
from ilk_web.mirrors.alignment import (
    OTHER_CONTENT,
    Mirror,
    SharedFolders,
    judge_mirror_or_none,
    match_folders_that_may_mirror,
)
from ilk_web.mirrors.candidates import nominate_folders
from ilk_web.mirrors.copies import Copies
from ilk_web.mirrors.groups import SAME_CONTENT, Group, group_mirrors_of_same_content
from ilk_web.options import MIRRORS
from ilk_web.urls.canonicalising import page_address
from ilk_web.urls.rules import PROFILE
from ilk_web.urls.sites import Sites, path_from_slash_below_or_none

#: The column of times, if there is one.
_DATE = "date"

#: How a page is spelled that was not crawled: a folder's first page has its own name.
_SPELLED = f"{PROFILE}-index"


@dataclass(frozen=True, repr=False, kw_only=True)
class Mirrors:
    """The result of ``find``.

    Attributes:
        found: folders that mirror one another, by level and name; those of level 5, which come
            last, share only paths and are not mirrors.
        report: counts and failures, as plain values; ``mirrors`` counts levels 1 to 4, and
            ``same_paths`` level 5.
        sites: the pages that were read, by host and path.
    """

    found: list[Mirror]
    report: dict[str, Any]
    sites: Sites
    _pages: SearchResult = field(repr=False)
    _copies: list[tuple[int, int]] = field(repr=False)

    @property
    def schemes(self) -> Mapping[str, str]:
        """By host, the scheme under which it was seen."""
        return self.sites.schemes

    def __repr__(self) -> str:
        """Return the numbers, in a few lines."""
        report = self.report
        read = f"{report['documents']:,} pages of {report['hosts']:,} hosts"
        found = (
            f"mirrors: {report['mirrors']:,}; {report['same_paths']:,} with the same paths alone"
        )
        return f"Mirrors: {read}\n  {found}"

    @property
    def groups(self) -> list[Group]:
        """Folders with the same pages (levels 1, 2 and 4), each with all its mirrors."""
        return group_mirrors_of_same_content(self.found)

    @property
    def table(self) -> pa.Table:
        """The mirrors as a table: one row each, with the fields of ``Mirror``, and the ``group``,
        which is the name of its canonical folder; null for levels 3 and 5.
        """
        texts, numbers = pa.string(), pa.int64()
        kinds = [texts if name in ("left", "right") else numbers for name in Mirror._fields]
        schema = pa.schema([*zip(Mirror._fields, kinds, strict=True), ("group", texts)])
        groups = {pair: group.canonical for group in self.groups for pair in group.pairs}
        rows = [mirror._asdict() | {"group": groups.get(mirror)} for mirror in self.found]
        return pa.Table.from_pylist(rows, schema=schema)

    def alternatives(self, url: str) -> list[str]:
        """Return where else a page should be: the same path below the mirrors of its folder.

        The best mirrors come first. A page that was read has its URL as it was given; any other
        is spelled as the one asked about, and ilk does not check whether it is there.

        Raises:
            UrlError: it is not an absolute web URL.
        """
        as_rules_write, as_spelt = page_address(url), page_address(url, _SPELLED)
        if as_rules_write is None or as_spelt is None:
            raise UrlError(
                f"{url[:80]!r} is not an absolute URL of the web; give one like "
                "'https://example.org/page'."
            )
        page, spelling = as_rules_write.host + as_rules_write.path, as_spelt.host + as_spelt.path
        others: list[str] = []
        for mirror in self.found:
            if mirror.level in SAME_CONTENT:
                sides = (mirror.left, mirror.right)
                for here, there in (sides, sides[::-1]):
                    rest = path_from_slash_below_or_none(page, here)
                    same = path_from_slash_below_or_none(spelling, here)
                    if rest is not None:
                        scheme = self.schemes[there.partition("/")[0]]
                        read = self.sites.url_as_given(there + rest)
                        others.append(read or f"{scheme}://{there}{rest if same is None else same}")
        return list(dict.fromkeys(others))

    def pages(self, *, date: str | None = None, link: str | None = None) -> pa.Table:
        """Return every page with the one that stands for its copies, and the freshest copy.

        Pages at one path below two mirrors (levels 1, 2 and 4) are copies if they are identical or
        near-identical. The one in the canonical folder of their group stands for them. Of a page
        that was read more than once, the first capture counts.

        Args:
            date: the column of the times when pages were fetched (default: ``date``, if there is
                one).
            link: where the addresses are to which a page links, as for ``text``: ``links[]``,
                ``links[].href``, or a column of texts, with white space between addresses. They
                may be relative to the page.

        Returns:
            ``page``, ``canonical``, ``freshest`` (null without a time) and when it was
            ``fetched``; ``in_links``: how many pages link to it or to a copy of it, null without
            ``link``. Copies of a page are one page there, and its links to itself do not count.

        Raises:
            OptionError: pages are not rows, or can be read only once, and a column is named.
            ColumnTypeError: there is no such column, or it holds something else.
        """
        times: Sequence[int | None] = [None] * len(self._pages.documents)
        try:
            values = self._pages.column(date or _DATE)
        except (ColumnTypeError, OptionError):
            if date is not None:
                raise
        else:
            sources = self._pages.documents["source"]
            column = date or _DATE
            times = parse_times_in_microseconds(
                column, values, lambda row: str(sources[row])
            ).to_pylist()
        links_of_rows = None
        if link is not None:
            try:
                links = self._pages.column(link)
            except ColumnTypeError as error:  # It is read as texts are, and they are named so.
                raise ColumnTypeError(str(error).replace("`text`", "`link`")) from error
            kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)
            if not any(is_kind(links.type) for is_kind in kinds):
                raise ColumnTypeError(
                    f"the column {link} holds {links.type}, and no links; name one of texts."
                )
            links_of_rows = (
                (row, address)
                for row, text in enumerate(links.to_pylist())
                for address in (text or "").split()
            )
        folders = {group.canonical for group in self.groups}
        return Copies(self.sites, self._copies, folders).make_page_table(times, links_of_rows)


@accept_true_as_progress
def find(
    source: Any,
    *,
    url: str = default("url"),
    text: str | Sequence[str] = default("text"),
    resemblance: str | float = default("resemblance"),
    least: int = MIRRORS["least"].default,
    max_hosts: int = MIRRORS["max_hosts"].default,
    convert_timeout: float = default("convert_timeout"),
    extract: str = default("extract"),
    jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Mirrors:
    """Find the hosts and folders that mirror one another.

    Args:
        source: files of rows, or a table, with the URL and the text of each page; or folders of
            pages that declare their canonical link (with ``extract``).
        url: the column of URLs.
        text: the column of texts, or several.
        resemblance: the least resemblance of near-identical pages.
        least: the least number of different pages in a mirror.
        max_hosts: content and paths on more hosts than this (a licence, a front page) are ignored;
            the report counts them.
        convert_timeout: the time limit in seconds for the text of a page.
        extract: how to get the text of HTML pages, as for ``ilk.find``.
        jobs: threads.
        progress: a function that follows every step; True draws a line on stderr.

    Raises:
        OptionError: an option is out of bounds.
        SourceNotFound, ColumnTypeError, TooManyPairs: as ``ilk.find``.
        NothingRead: as there; or no page has a web address.
    """
    fewest = MIRRORS["least"].check("least", least)
    host_limit = MIRRORS["max_hosts"].check("max_hosts", max_hosts)
    near = float(check_option("resemblance", resemblance))
    pages = pipeline.find(
        source,
        text=text,
        id=url,
        resemblance=resemblance,
        convert_timeout=convert_timeout,
        extract=extract,
        jobs=jobs,
        progress=progress,
    )
    sites = Sites.from_urls(ids_or_declared_links_or_null(pages.documents).to_pylist())
    if not sites.paths:
        raise NothingRead(
            f"no page of {len(pages.documents):,} has a web address (`url` is {url!r}), so no "
            "host can be compared; name rows with a column of URLs, an archive, or pages that "
            "declare their address (`extract`)."
        )
    candidates = nominate_folders(
        sites, _cluster_numbers_or_digests(pages), least_votes=fewest, max_hosts=host_limit
    )
    pairs = list(match_folders_that_may_mirror(sites, candidates))
    contents = pages.documents["digest"].to_pylist()
    resemblances = _resemblances_of_differing_pages(pages, pairs, contents)
    mirror_by_folders: dict[tuple[str, str], Mirror] = {}
    copies: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for pair in pairs:
        mirror = judge_mirror_or_none(
            pair, contents, resemblances, resemblance=near, least_contents=fewest
        )
        if mirror is not None:
            mirror_by_folders[mirror.left, mirror.right] = mirror
            copies[mirror.left, mirror.right] = [
                rows
                for rows in pair.rows
                if None not in (contents[rows[0]], contents[rows[1]])
                and resemblances.get(rows, 1.0) >= near
            ]
    mirrors = sorted(
        _leave_out_inner_mirrors(mirror_by_folders.values()),
        key=lambda m: (m.level, m.left, m.right),
    )
    others = sum(mirror.level == OTHER_CONTENT for mirror in mirrors)
    report = {
        **report_head(
            documents=len(pages.documents),
            failures=pages.report["failures"],
            advice=pages.report["advice"],
            options=pages.report["options"] | {"least": fewest, "max_hosts": host_limit},
        ),
        "mirrors": len(mirrors) - others,
        "groups": len(group_mirrors_of_same_content(mirrors)),
        "same_paths": others,
        "hosts": len(sites.paths),
        "without_url": len(sites.without),
        "again": len(sites.again),
        "ubiquitous": candidates.ubiquitous,
        "repeated": candidates.repeated,
        "nominated": len(candidates.by_content) + len(candidates.by_path),
        "seconds": pages.report["seconds"],
    }
    pairs_of_copies = [
        rows
        for mirror in mirrors
        if mirror.level in SAME_CONTENT
        for rows in copies[mirror.left, mirror.right]
    ]
    return Mirrors(found=mirrors, report=report, sites=sites, _pages=pages, _copies=pairs_of_copies)


def _cluster_numbers_or_digests(pages: SearchResult) -> list[object]:
    """Return for each page its cluster's number, or else its digest; None if it is blank."""
    kinds: list[object] = pages.documents["digest"].to_pylist()
    members = (pages.clusters[name].to_pylist() for name in ("doc", "cluster"))
    for doc, cluster in zip(*members, strict=True):
        kinds[doc] = cluster
    return kinds


def _resemblances_of_differing_pages(
    pages: SearchResult, pairs: Iterable[SharedFolders], contents: Sequence[object]
) -> dict[tuple[int, int], float]:
    """Measure the resemblance of all pages that share a path and differ."""
    rows = sorted(
        {
            (left, right)
            for pair in pairs
            for left, right in pair.rows
            if contents[left] != contents[right] and None not in (contents[left], contents[right])
        }
    )
    left, right = (pa.array([row[side] for row in rows], pa.int64()) for side in (0, 1))
    measured = pages.judge(left, right)
    return dict(zip(rows, measured["resemblance"].to_pylist(), strict=True))


def _leave_out_inner_mirrors(mirrors: Iterable[Mirror]) -> list[Mirror]:
    """Leave out mirrors that are inside a better or equal one.

    Within folders that mirror each other, two folders of other names are alike only because the
    pages of one side are; hosts that are only similar prove nothing about their folders.
    """
    kept: defaultdict[tuple[str, str], list[Mirror]] = defaultdict(list)
    for mirror in sorted(mirrors, key=lambda m: (m.level, len(m.left), m.left, m.right)):
        beside = kept[mirror.left.partition("/")[0], mirror.right.partition("/")[0]]
        if not any(_follows_from_outer_mirror(mirror, other) for other in beside):
            beside.append(mirror)
    return [mirror for beside in kept.values() for mirror in beside]


def _follows_from_outer_mirror(inner: Mirror, outer: Mirror) -> bool:
    """Return whether two folders are below two that mirror one another, or that only resemble one
    another, if they have the same path there.
    """
    left = path_from_slash_below_or_none(f"{inner.left}/", outer.left)
    right = path_from_slash_below_or_none(f"{inner.right}/", outer.right)
    inside = left is not None and right is not None
    return inside and (left == right or outer.level in SAME_CONTENT)
