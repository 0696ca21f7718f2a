"""All experiments as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from tests.payloads import PAYLOADS, check

from ilk_papers import page
from ilk_papers.frame import Picture, Report, exhibit
from ilk_papers.holub.all_exhibits import run as holub


def _line(axes: Axes) -> None:
    axes.plot([1, 2])


def test_a_page_has_tables_colours_pictures_and_notes(tmp_path: Path) -> None:
    made = exhibit(
        "made",
        "A <title>",
        ("what", "published", "computed"),
        [("same", "3", "3"), ("other", "3", "4"), ("new", "", "5")],
        note="why & wherefore",
    )
    long = exhibit("long", "Long", ("n",), [(at,) for at in range(3)], printed=False)
    report = Report([made, long], [Picture("drawn", _line)])
    written = page.save({"holub": holub(), "lecture": report}, tmp_path / "new")
    assert written == tmp_path / "new" / "index.html"
    text = written.read_text()
    assert "<td class='same'>3</td>" in text
    assert "<td class='other'>4</td>" in text
    assert "<td>5</td>" in text
    assert "A &lt;title&gt;" in text
    assert "why &amp; wherefore" in text
    assert "src='data:image/png;base64," in text
    assert "img-src data:; style-src 'sha256-" in text
    assert "3 rows: <a href='lecture/long.csv'>" in text
    assert (tmp_path / "new" / "lecture" / "long.csv").exists()
    assert (tmp_path / "new" / "holub" / "lookup3.csv").exists()
    assert "lookup3: its author" in text


def test_a_table_of_the_page_ends_with_the_rest_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "_ROWS", 2)
    rows = exhibit("rows", "Rows", ("n",), [(at,) for at in range(5)])
    text = page.save({"holub": Report([rows])}, tmp_path).read_text()
    assert "3 more rows in <a href='holub/rows.csv'>" in text


def test_nothing_in_an_exhibit_runs(tmp_path: Path, browser: Any) -> None:
    rows = [(one, f"{one} published", f"{one} here") for one in PAYLOADS]
    heads = (PAYLOADS[0], "published", PAYLOADS[15])
    made = exhibit("made", PAYLOADS[4], heads, rows, note="\n".join(PAYLOADS))
    written = page.save({"holub": Report([made])}, tmp_path)
    # Without the policy of the page, so that escaping alone keeps everything from running.
    context = browser.new_context(bypass_csp=True)
    tab = context.new_page()
    tab.goto(written.as_uri())
    check(tab)
    assert tab.locator("main td").count() == 3 * len(PAYLOADS)
    context.close()
