"""Word: all that a reader sees counts once, and what was deleted counts no more."""

from __future__ import annotations

import io
import zipfile

import pytest

from ilk.read.formats.parts import DocumentText, Limits, Unfit
from ilk_sources.documents import office

_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def word(body: str, **parts: str) -> bytes:
    """Return a document with this body, and other parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in {"document": body, **parts}.items():
            archive.writestr(f"word/{name}.xml", f"<w:x {_NAMES}>{content}</w:x>")
    return out.getvalue()


def text(content: bytes) -> str:
    (part,) = office.read_docx(io.BytesIO(content), Limits())
    assert isinstance(part, DocumentText)
    return part.text


def p(*runs: str) -> str:
    return "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


def test_runs_make_words_and_paragraphs_make_lines() -> None:
    assert text(word(p("to", "gether") + p("a", " b"))).splitlines() == ["together", "a b"]


def test_cells_are_apart() -> None:
    cells = "".join(f"<w:tc>{p(cell)}</w:tc>" for cell in "ab")
    assert text(word(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")).split() == ["a", "b"]


def test_changes_are_taken_as_accepted() -> None:
    body = (
        "<w:p><w:r><w:t>kept </w:t></w:r><w:ins><w:r><w:t>new </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved </w:t></w:r></w:moveFrom>"
        "<w:moveTo><w:r><w:t>here</w:t></w:r></w:moveTo></w:p>"
    )
    assert text(word(body)).strip() == "kept new here"


def test_a_text_box_counts_once() -> None:
    box = f"<mc:Choice>{p('boxed')}</mc:Choice><mc:Fallback>{p('boxed')}</mc:Fallback>"
    assert text(word(f"<mc:AlternateContent>{box}</mc:AlternateContent>")).split() == ["boxed"]


def test_heads_and_notes_count_once() -> None:
    parts = {"header1": "head", "header2": "head", "footnotes": "note", "footer1": "foot"}
    found = text(word(p("body"), **{name: p(content) for name, content in parts.items()}))
    assert found.split() == ["head", "body", "note", "foot"]


def test_what_a_field_is_made_by_is_no_text() -> None:
    body = "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>"
    assert text(word(body)).strip() == "7"


def test_entities_are_refused_before_they_grow_and_no_file_is_read() -> None:
    for entity in ("'lol'", 'SYSTEM "file:///etc/passwd"'):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            content = f"<!DOCTYPE x [<!ENTITY a {entity}>]><x><t>&a;</t></x>"
            archive.writestr("word/document.xml", content)
        with pytest.raises(Unfit, match="declares entities"):
            text(out.getvalue())
