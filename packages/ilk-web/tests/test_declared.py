"""What a page says of itself: every name, what makes no sense, and pages that end nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk_web.pages import PageDeclarations, parse_declarations

PAGE = """<?xml version="1.0"?><!DOCTYPE html>
<!-- <title>Old</title> -->
<HTML xml:lang="pt-BR"><head><title>
  Caf&eacute; &amp;
  more </title>
<script>document.write("<title>Written</title><link rel=canonical href=http://wrong.org/>")</script>
<link rel="stylesheet" href="/s.css">
<link href='https://a.org/b?c=1&amp;d' rel="Canonical nofollow">
<meta name=date content="1999-01-01">
<meta property="article:published_time" content="2024-05-06T07:08Z">
</head><body><title>Of a picture</title></body></html>"""


def test_what_is_declared_is_told() -> None:
    assert parse_declarations(PAGE.encode()) == PageDeclarations(
        "Café & more", "https://a.org/b?c=1&d", "pt-BR", "2024-05-06"
    )


@pytest.mark.parametrize(
    ("before", "title"), [(0, "late"), ((1 << 18) - 19, "late"), (1 << 18, "")]
)
def test_what_stands_far_from_the_start_is_not_seen(before: int, title: str) -> None:
    page = "<p>".ljust(before) + "<title>late</title>" if before else "<title>late</title>"
    assert parse_declarations(page.encode()).title == (title or None)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", PageDeclarations()),
        ("plain text", PageDeclarations()),
        ("<title> \n </title>", PageDeclarations()),
        ("<title>one</title><title>two</title>", PageDeclarations(title="one")),
        ("<title>a </b> c</title>", PageDeclarations(title="a </b> c")),
        ("<title>no end", PageDeclarations()),
        ("<title-bar>no title</title-bar><title >one</title>", PageDeclarations(title="one")),
        ("<!-- <title>hidden</title>", PageDeclarations()),
        ("<link rel=canonical href=/relative>", PageDeclarations()),
        ("<link rel=canonical href='javascript:alert(1)'>", PageDeclarations()),
        ("<link rel=canonical href=HTTP://a.org/>", PageDeclarations(link="HTTP://a.org/")),
        ("<html lang='>'><title>x</title>", PageDeclarations(title="x")),
        ("<html lang=de>", PageDeclarations(language="de")),
        ("<html lang='not a language'>", PageDeclarations()),
        ("<meta itemprop=datePublished content=2020-02-30>", PageDeclarations()),
        ("<meta itemprop=datePublished content=yesterday>", PageDeclarations()),
        ("<meta name=dc.date content=2020-02-29>", PageDeclarations(date="2020-02-29")),
        (
            '<script type="application/ld+json">{"datePublished": "2021-03-04T05:06"}</script>',
            PageDeclarations(date="2021-03-04"),
        ),
    ],
)
def test_what_makes_no_sense_is_none(html: str, expected: PageDeclarations) -> None:
    assert parse_declarations(html.encode()) == expected


@pytest.mark.parametrize(
    "piece", ["<", "<meta ", '<a "', "<!--", "<title>", "</", "<script>", "<link x='"]
)
def test_a_page_that_ends_nowhere_is_looked_at_once(piece: str) -> None:
    """It declares nothing; were the time the square of the length, this would take minutes."""
    assert parse_declarations(piece.encode() * 1_000_000) == PageDeclarations()


@pytest.mark.parametrize("piece", ["a", " a", "a=", "a='", "=\"'", "\n", "&amp", "a = "])
def test_a_tag_without_end_is_looked_at_once(piece: str) -> None:
    """It declares nothing; were the time the square of the length, this would take minutes."""
    assert parse_declarations(b"<meta b" + piece.encode() * 250_000 + b">") == PageDeclarations()


_pieces = st.sampled_from(
    ["<title>", "</title>", "<!--", "-->", "<meta name=date content='", "2020-01-01", "'>", '"',
     "<html lang=", "en", ">", "<script>", "</script>", "<link rel=canonical href=", "http://a/"]
)  # fmt: skip


@given(st.lists(st.one_of(_pieces, st.text(max_size=5))).map("".join))
def test_anything_is_a_page(html: str) -> None:
    for value in parse_declarations(html.encode("utf-8", "surrogatepass")):
        assert value is None or (value and value == value.strip())
