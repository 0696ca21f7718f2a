"""Documents that are no plain text, against the bare library that reads them, in the same process.

The files are made: sentences on pages, as they come. CPU seconds; those of folders are wall time,
since one or two child processes read them.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support import samples

from benchmarks import timing
from benchmarks.rows import Row
from ilk import Limits
from ilk.base.packages import entry_points_in_ilk_group
from ilk.base.run_options import Running
from ilk.read import Reading, ReadReport
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from ilk_sources.documents import pdf

#: Documents of each format; pages and lines of each.
_FILES, _PAGES, _LINES = 40, 20, 40

_WORDS = [thing for pair in zip(samples.THINGS, samples.PEOPLE, strict=True) for thing in pair]


def run() -> list[Row]:
    """Documents and pages a second."""
    made = {extension: [make(at) for at in range(_FILES)] for extension, make in _MADE.items()}
    rows = []
    for extension, contents in made.items():
        rows += _beside(extension, contents)
    rows += _cleaning(made[".pdf"])
    return rows + _folder(made)


def _lines(seed: int) -> list[str]:
    """Lines, no two of them alike."""
    count = len(_WORDS)
    return [
        " ".join(_WORDS[(seed * 7 + at * (word + 3) + word * word) % count] for word in range(12))
        + f" {seed} {at}."
        for at in range(_PAGES * _LINES)
    ]


def _pdf(seed: int) -> bytes:
    lines = _lines(seed)
    return samples.pdf([lines[at : at + _LINES] for at in range(0, len(lines), _LINES)])


_MADE: dict[str, Callable[[int], bytes]] = {
    ".pdf": _pdf,
    ".docx": lambda seed: samples.docx(_lines(seed)),
    ".pptx": lambda seed: samples.pptx(_lines(seed)[:60]),
    ".xlsx": lambda seed: samples.xlsx(_lines(seed)),
    ".odt": lambda seed: samples.opendocument("text", _lines(seed)),
    ".eml": lambda seed: bytes(samples.message(_lines(seed))),
}


def _by_pypdfium2(content: bytes) -> object:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_bounded() for page in document]


def _by_docx(content: bytes) -> object:
    from docx import Document

    return [paragraph.text for paragraph in Document(io.BytesIO(content)).paragraphs]


def _by_pptx(content: bytes) -> object:
    from pptx import Presentation

    slides = Presentation(io.BytesIO(content)).slides
    notes = [slide.notes_slide.notes_text_frame.text for slide in slides if slide.has_notes_slide]
    return notes, [shape.text_frame.text for slide in slides for shape in slide.shapes]


def _by_calamine(content: bytes) -> object:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]


def _by_odfdo(content: bytes) -> object:
    from odfdo import Document

    return Document(io.BytesIO(content)).get_formatted_text()


def _by_email(content: bytes) -> object:
    from email import message_from_bytes, policy

    return [
        part.get_content()
        for part in message_from_bytes(content, policy=policy.default).walk()
        if not part.is_multipart()
    ]


_BARE: dict[str, tuple[str, str, Callable[[bytes], object]]] = {
    ".pdf": ("pdf", "pypdfium2", _by_pypdfium2),
    ".docx": ("docx", "python-docx", _by_docx),
    ".pptx": ("pptx", "python-pptx", _by_pptx),
    ".xlsx": ("sheets", "python-calamine", _by_calamine),
    ".odt": ("odf", "odfdo", _by_odfdo),
    ".eml": ("mail", "email", _by_email),
}


def _beside(extension: str, contents: list[bytes]) -> list[Row]:
    """The module of a format beside the bare library."""
    name, package, bare = _BARE[extension]
    read = entry_points_in_ilk_group("formats")[name].load()
    ways: Mapping[str, Callable[[bytes], object]] = {
        "ilk": lambda content: list(read(io.BytesIO(content), Limits())),
        package: bare,
    }
    seconds = timing.medians(
        {way: _timed(by, contents) for way, by in ways.items()}  # In turn, in each round.
    )
    speed = len(contents) / seconds["ilk"]
    ratio = seconds[package] / seconds["ilk"]
    return [Row(f"{extension[1:]}: read", speed, "documents/s", ratio, package, ">= 0.8")]


def _timed(read: Callable[[bytes], object], contents: list[bytes]) -> Callable[[], float]:
    return lambda: timing.cpu(lambda: [read(content) for content in contents])


def _cleaning(contents: list[bytes]) -> list[Row]:
    """What it takes to leave out heads and to join what hyphens part, of pages that are read."""
    pages: list[list[str]] = [_by_pypdfium2(content) for content in contents]  # type: ignore[misc]
    seconds = timing.medians(
        {
            "clean": lambda: timing.cpu(lambda: [pdf.join_and_clean_pages(one) for one in pages]),
            "read": _timed(_by_pypdfium2, contents),
        }
    )
    speed = sum(map(len, pages)) / seconds["clean"]
    share = seconds["clean"] / seconds["read"]
    return [Row("pdf: clean-up", speed, "pages/s", share, "the time of reading")]


def _folder(made: dict[str, list[bytes]]) -> list[Row]:
    """A folder of all of them, read by one child process and by two."""
    with tempfile.TemporaryDirectory() as folder:
        for extension, contents in made.items():
            for at, content in enumerate(contents):
                Path(folder, f"{at}{extension}").write_bytes(content)

        def read(jobs: int) -> Callable[[], float]:
            def task() -> float:
                start = time.perf_counter()
                batches = read_documents_except_unnamed_binary_rows(
                    [folder], Reading.of(), Running(jobs, 0), tally=ReadReport()
                )
                assert sum(map(len, batches)) == len(made) * _FILES
                return time.perf_counter() - start

            return task

        seconds = timing.medians({"one": read(1), "two": read(2)})
    count = len(made) * _FILES
    ratio = seconds["one"] / seconds["two"]
    return [
        Row("folder: one child", count / seconds["one"], "documents/s"),
        Row("folder: two children", count / seconds["two"], "documents/s", ratio, "one", ">= 1.6"),
    ]
