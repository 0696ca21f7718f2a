"""The archives of a WACZ as sources of rows: captures with titles, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ilk import Limits
from ilk.plugins import ColumnRequest, Part, Rejected, Source, TellBytesRead
from ilk_web.pages import PageDeclarations
from ilk_web.wacz.package import Package
from ilk_web.warc.captures import Capture, is_html
from ilk_web.warc.crawl import Crawl
from ilk_web.warc.cutting import Damage
from ilk_web.warc.rows import ArchiveRows

#: What separates the name of a file from that of one in it.
_INSIDE = "!/"


def open_archives(
    name: str, path: str, *, request: ColumnRequest, crawl: Crawl[Source], limits: Limits
) -> Sequence[Source]:
    """Return the archives of a WACZ, in the order of their names, as ``Opener`` does.

    Raises:
        Unreadable: it is no WACZ, or unpacks to more than the limits allow.
        ColumnTypeError: captures have no column of such a name.
    """
    package = Package(path, limits)
    return [
        PackagedRows(
            name=name, path=path, request=request, crawl=crawl, package=package, archive=archive
        )
        for archive in package.archives
    ]


class PackagedRows(ArchiveRows):
    """The captures of an archive in a WACZ; a page without a title of its own has the listed one.

    The first archive also reports what is wrong with files of the WACZ that are no archives.
    """

    def __init__(
        self,
        *,
        name: str,
        path: str,
        request: ColumnRequest,
        crawl: Crawl[Source],
        package: Package,
        archive: str,
    ) -> None:
        """Read nothing yet but the beginning, as ``ArchiveRows`` does."""
        inner = package.locate_or_unpack_as_far_as_readable(archive)
        super().__init__(
            f"{name}{_INSIDE}{archive}", path, request=request, crawl=crawl, inner=inner
        )
        self._package, self._archive, self._outer_name = package, archive, name

    def _read_captures(self, tell: TellBytesRead) -> Iterator[Part]:
        reason = self._package.find_problem_of_file_if_any(self._archive)
        if reason is not None:
            self._damage.append(Damage(0, reason))
        yield from super()._read_captures(tell)
        there = self._entries.frame_offsets_of_records()
        missing = self._package.offsets.listed_offsets_without_record(self._archive, there)
        damaged = {damage.offset for damage in self._damage}
        unread = [offset for offset in missing if offset not in damaged]
        if unread:
            reason = (
                "the index of the WACZ names places where no record begins: "
                f"{len(unread):,}, the first of them here"
            )
            self._damage.append(Damage(unread[0], reason))

    def _declared_page(self, capture: Capture) -> PageDeclarations:
        page = capture.page
        if page.title is not None or not is_html(capture):
            return page
        return page._replace(
            title=self._package.titles.title_nearest_in_time(capture.url, capture.time)
        )

    def read_rejected_rows(self) -> Iterator[Rejected]:
        """Yield damage of this archive, and with the first one that of other files."""
        if self._archive == self._package.archives[0]:
            for file, reason in self._package.problems_of_other_files:
                yield Rejected(
                    source=f"{self._outer_name}{_INSIDE}{file}",
                    at=0,
                    reason=reason,
                    data=b"",
                    unit="offset",
                )
        yield from super().read_rejected_rows()
