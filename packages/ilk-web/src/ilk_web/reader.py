"""The reader of web archives that the core finds by its entry point (``ilk.readers``)."""

from __future__ import annotations

from collections.abc import Sequence

from ilk.companions import Pages, split_codec_and_extension
from ilk.plugins import ColumnRequest, Opener, Reading, Running, Source
from ilk_web.warc import forms
from ilk_web.warc.crawl import Crawl
from ilk_web.warc.frames import MAGIC

#: Per form, the extensions of its files.
forms_of_files = {"WARC": (".warc", ".wet"), "ARC": (".arc",), "WACZ": (".wacz",)}


class ArchiveReader:
    """WARC and ARC, plain or compressed, and those in a WACZ."""

    forms = forms_of_files
    codecs = tuple(MAGIC)
    also = (".jsonl", ".ndjson", ".json", ".parquet", ".pq")

    def recognises_query_or_content(self, path: str) -> bool:
        """Return whether the first bytes of a file are those of an archive."""
        try:
            return forms.recognise_form(path) is not None
        except OSError:
            return False

    def make_opener(self, reading: Reading, running: Running) -> Opener:
        """Return what opens archives whose revisits may refer to one another."""
        crawl: Crawl[Source] = Crawl(Pages(reading.extract, reading.convert_timeout), running.jobs)

        def open_sources(name: str, path: str, request: ColumnRequest) -> Sequence[Source]:
            if split_codec_and_extension(path, MAGIC)[1] in forms_of_files["WACZ"]:
                from ilk_web.wacz.rows import open_archives

                return open_archives(
                    name, path, request=request, crawl=crawl, limits=reading.limits
                )
            from ilk_web.warc.rows import ArchiveRows

            return [ArchiveRows(name, path, request=request, crawl=crawl)]

        return open_sources


reader = ArchiveReader()
