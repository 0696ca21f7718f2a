"""The reader of web archives that the core finds by its entry point (``ilk.readers``)."""

from __future__ import annotations

from ilk.companions import Pages
from ilk.plugins import Names, Opener, Reading, Running, Source
from ilk_web.warc import forms
from ilk_web.warc.crawl import Crawl
from ilk_web.warc.frames import MAGIC

#: Per form, the extensions of its files.
forms_of_files = {"WARC": (".warc", ".wet"), "ARC": (".arc",)}


class ArchiveReader:
    """WARC and ARC, plain or compressed."""

    forms = forms_of_files
    codecs = tuple(MAGIC)
    also = (".jsonl", ".ndjson", ".json", ".parquet", ".pq")

    def begins(self, path: str) -> bool:
        """Return whether the first bytes of a file are those of an archive."""
        try:
            return forms.form(path) is not None
        except OSError:
            return False

    def opener(self, reading: Reading, running: Running) -> Opener:
        """Return what opens archives whose revisits may refer to one another."""
        crawl: Crawl[Source] = Crawl(Pages(reading.extract, reading.convert_timeout), running.jobs)

        def open_source(name: str, path: str, names: Names) -> Source:
            from ilk_web.warc.rows import ArchiveRows

            return ArchiveRows(name, path, names, crawl)

        return open_source


reader = ArchiveReader()
