"""The published tests of URL parsers and canonicalisers, where they are; and where ilk differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from url_spelling import spell_by_standard_or_none

from ilk_web import urls

#: What the parser writes in another way than the standard, and why.
OTHER_THAN_THE_STANDARD = {
    # The standard has changed here of late, and the parser is older: spaces at the end of an opaque
    # path are escaped, and so is ^ in a path.
    "non-special:opaque  ?hi",
    "non-special:opaque  #hi",
    "non-special:opaque \t\t  \t#hi",
    "non-special:opaque \t\t  #hi",
    "non-special:opaque\t\t  \r #hi",
    "foo://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~",
    "wss://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~",
    # Files, which no server gives: the parser drops empty names at the start of their path, ...
    "file:.//p",
    "file:/.//p",
    "file:////foo",
    "file:\\\\//",
    "file:\\\\\\\\",
    "file:\\\\\\\\?fox",
    "file:\\\\\\\\#guppy",
    "file://spider///",
    "file:\\\\localhost//",
    "file://\\/localhost//cat",
    "file://localhost//a//../..//",
    "file://localhost//a//../..//foo",
    "file://localhost////foo",
    # ... and the host before the letter of a drive, whose bar it leaves.
    "file://example.net/C:/",
    "file://1.2.3.4/C:/",
    "file://[1::8]/C:/",
    "file:///w|/m",
}

#: What ilk makes of a URL where the table of aggressive forms has another, and why.
OTHER_THAN_AGGRESSIVE = {
    # An index page is no page of its own.
    "http://www.example.com/index.html": "http://example.com/",
    # The case of a path and of a parameter may matter.
    "http://www.flickr.com/photos/36050182@N05/": "http://flickr.com/photos/36050182@N05",
    "http://example.com/foo?c=5&&a=1&B=3&A=2&b=4&C=6&": (
        "http://example.com/foo?A=2&B=3&C=6&a=1&b=4&c=5"
    ),
    # Nobody has as many mirrors of one site.
    "http://www232.chub.org:8080/foo": "http://www232.chub.org:8080/foo",
}


def _table(data: Path, name: str) -> Any:
    path = data / "url" / name
    if not path.is_file():
        pytest.skip(f"the tests of URL parsers are not there: {path}")
    return json.loads(path.read_text())


def test_the_tests_of_the_standard_pass(data: Path) -> None:
    """Those of absolute URLs: ilk knows no base."""
    cases = [
        case
        for case in _table(data, "rust-url/url/tests/urltestdata.json")
        if isinstance(case, dict) and case.get("base") is None
    ]
    wrong = {
        case["input"]
        for case in cases
        if spell_by_standard_or_none(case["input"]) != case.get("href")
    }
    assert len(cases) > 500
    assert wrong == OTHER_THAN_THE_STANDARD


def test_hosts_that_are_numbers_are_told(data: Path) -> None:
    cases = _table(data, "urlcanon/testdata/funky_ipv4.json")
    assert len(cases) > 40
    for host, number in cases.items():
        found = spell_by_standard_or_none(f"http://{host}/")
        if number is None:
            assert found in (None, f"http://{host}/"), host
        else:
            assert found == f"http://{number}/", host


def test_dots_in_paths_are_resolved(data: Path) -> None:
    cases = _table(data, "urlcanon/testdata/path_dots.json")["special"]
    assert len(cases) > 40
    for path, resolved in cases.items():
        # The table is of paths alone; the standard reads a backslash as a slash.
        expected = f"http://example.org{resolved}".replace("\\", "/")
        assert spell_by_standard_or_none(f"http://example.org{path}") == expected, path


def test_aggressive_forms_are_those_of_others(data: Path) -> None:
    cases = _table(data, "urlcanon/testdata/aggressive.json")
    absolute = {url: form for url, form in cases.items() if "://" in url.split("?")[0]}
    found = {url: urls.canonical(url, "aggressive") for url in absolute}
    other = {url: form for url, form in found.items() if form != absolute[url]}
    assert len(absolute) > 25
    assert other == OTHER_THAN_AGGRESSIVE
