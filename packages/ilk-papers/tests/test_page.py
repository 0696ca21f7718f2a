"""All experiments as one page."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from tests.support.payloads import PAYLOADS, check

import ilk
from ilk_papers import ROOMS, page, rabin
from ilk_papers.frame import Picture, Report, make_exhibit
from ilk_papers.holub.all_exhibits import run as holub
from ilk_papers.lecture import phrases
from ilk_papers.lecture.all_exhibits import run as lecture
from ilk_papers.lecture.published import SEEDS
from ilk_papers.rabin import distinct_runs_of_four_units_in_text_order
from ilk_papers.simhash import add_votes
from ilk_papers.summaries import SUMMARIES, WORDS


def _line(axes: Axes) -> None:
    axes.plot([1, 2])


def test_a_page_has_tables_colours_pictures_and_notes(tmp_path: Path) -> None:
    made = make_exhibit(
        "made",
        "A <title>",
        ("what", "published", "computed"),
        [("same", "3", "3"), ("other", "3", "4"), ("new", "", "5")],
        note="why & wherefore",
    )
    long = make_exhibit(
        "long", "Long", ("n",), [(at,) for at in range(3)], printed_at_terminal=False
    )
    report = Report([made, long], [Picture("drawn", _line)])
    written = page.save_reports_with_page({"holub": holub(), "lecture": report}, tmp_path / "new")
    assert written == tmp_path / "new" / "index.html"
    text = written.read_text()
    assert "<td class='same'>3</td>" in text
    assert "<td class='other'>4</td>" in text
    assert "<td>5</td>" in text
    assert "A &lt;title&gt;" in text
    assert "why &amp; wherefore" in text
    (drawn,) = re.findall("src='data:image/svg\\+xml;base64,([^']+)'", text)
    assert "system-ui, -apple-system, 'Segoe UI'" in base64.b64decode(drawn).decode()
    assert "img-src data:; style-src 'sha256-" in text
    assert "3 rows: <a href='lecture/long.csv'>" in text
    assert (tmp_path / "new" / "lecture" / "long.csv").exists()
    assert (tmp_path / "new" / "holub" / "lookup3.csv").exists()
    assert "lookup3: its author" in text


def test_a_table_of_the_page_ends_with_the_rest_in_its_file(tmp_path: Path) -> None:
    rows = make_exhibit("rows", "Rows", ("n",), [(at,) for at in range(403)])
    text = page.save_reports_with_page({"holub": Report([rows])}, tmp_path).read_text()
    assert "3 more rows in <a href='holub/rows.csv'>" in text


def test_nothing_in_an_exhibit_runs(tmp_path: Path, browser: Any) -> None:
    rows = [(one, f"{one} published", f"{one} here") for one in PAYLOADS]
    heads = (PAYLOADS[0], "published", PAYLOADS[15])
    made = make_exhibit("made", PAYLOADS[4], heads, rows, note="\n".join(PAYLOADS))
    written = page.save_reports_with_page({"holub": Report([made])}, tmp_path)
    # Without the policy of the page, so that escaping alone keeps everything from running.
    context = browser.new_context(bypass_csp=True)
    tab = context.new_page()
    tab.goto(written.as_uri())
    check(tab)
    assert tab.locator(".scroll td").count() == 3 * len(PAYLOADS)
    context.close()


TEXTS = [
    ("the cat sat on the mat", "the cat sat on a mat"),
    ("we all scream for ice cream", "naïve café, Straße 漢字 😀😀 ok"),
    ("line one\nline two\n", "line one\nline three\n"),
    ("abc", "abcd"),
    (" \u2003 \u3000  ", "\u00a0\ufeffabcd"),
    ("", "four score and seven years ago our fathers brought forth"),
]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Any]:
    written = page.save_reports_with_page({"holub": holub()}, tmp_path_factory.mktemp("page"))
    tab = browser.new_page()
    errors: list[object] = []
    tab.on("pageerror", lambda error: errors.append(error))
    # What the policy of the page forbids is an error on the console.
    tab.on("console", lambda message: errors.extend([message.text] * (message.type == "error")))
    tab.goto(written.as_uri())
    yield tab
    assert errors == []
    tab.close()


@pytest.mark.parametrize(("one", "other"), TEXTS)
def test_the_box_computes_what_the_recipe_gives(box: Any, one: str, other: str) -> None:
    box.select_option("#try-method", "2013")
    box.fill("#try-one", one)
    box.fill("#try-other", other)
    prints = ilk.fingerprint([one, other], "roth2013").to_pylist()
    shown = [box.inner_text(f"#try-print-{at}") for at in (0, 1)]
    assert shown == [
        "none: the text is too short" if value is None else f"{value:016x}" for value in prints
    ]
    if None not in prints:
        apart = (prints[0] ^ prints[1]).bit_count()
        assert box.inner_text("#try-distance") == f"{apart} of 64 bits"
        assert box.locator("#try-bits-0 .other").count() == apart
        a, b = (
            set(distinct_runs_of_four_units_in_text_order(text).tolist()) for text in (one, other)
        )
        share = f"{len(a & b)} of {len(a | b)} features: {len(a & b) / len(a | b):.3f}"
        assert box.inner_text("#try-jaccard") == share


@pytest.mark.parametrize(("one", "other"), TEXTS)
def test_the_box_computes_what_the_lecture_does(box: Any, one: str, other: str) -> None:
    box.select_option("#try-method", "lecture")
    box.fill("#try-one", one)
    box.fill("#try-other", other)
    for at, text in enumerate((one, other)):
        expected = f"{phrases.fingerprint(text, SEEDS[1]):08x}" if len(text) > 1 else None
        assert box.inner_text(f"#try-print-{at}") == (expected or "none: the text is too short")


def test_v_fills_feature_by_feature(box: Any) -> None:
    box.select_option("#try-method", "lecture")
    box.fill("#try-one", "the cat")
    hashes = [
        phrases.ruby_hash(pair, SEEDS[1]) % (1 << 32)
        for pair in phrases.distinct_character_pairs("the cat")
    ]
    for count in range(len(hashes) + 1):
        box.locator("#try-step").evaluate(
            "(step, count) => { step.value = count; step.dispatchEvent(new Event('input')); }",
            count,
        )
        shown = [int(cell) for cell in box.locator("#try-votes span").all_inner_texts()]
        assert shown == add_votes(hashes[:count], bits=32)[::-1].tolist()
        assert box.inner_text("#try-feature").startswith(f"{count} of {len(hashes)}")


def test_contents_lead_to_every_exhibit_by_its_slide(tmp_path: Path) -> None:
    walk = make_exhibit("walk", "Rotation by rotation", ("n",), [(1,)])
    text = page.save_reports_with_page(
        {"holub": holub(), "lecture": Report([walk])}, tmp_path
    ).read_text()
    assert "<a href='#lecture-walk'>Slide 36: Rotation by rotation</a>" in text
    places = set(re.findall(r"id='([^']+)'", text))
    links = re.findall(r"<a href='#([^']+)'>", text)
    assert links
    assert set(links) <= places


def test_a_part_begins_with_claim_method_findings_and_questions(tmp_path: Path) -> None:
    text = page.save_reports_with_page({"holub": holub()}, tmp_path).read_text()
    text = text[text.index("<section id='holub'>") :]
    summary = SUMMARIES["holub"]
    shown = [
        text.index(part)
        for part in (
            *map(
                escape,
                (
                    summary.claim,
                    *(step.does for step in summary.steps()),
                    summary.findings,
                    *summary.questions[0],
                ),
            ),
            "id='holub-lookup3'",
        )
    ]
    assert shown == sorted(shown)
    # The example of the method is what its recipe gives.
    (value,) = ilk.fingerprint(["to be or not to be"], "holub").to_pylist()
    assert f"<code>{value:016x}</code>" in text


def test_the_steps_of_2013_are_those_of_its_recipe() -> None:
    (value,) = ilk.fingerprint(["Hello world"], "roth2013").to_pylist()
    assert f"{value:016x}" in {step.makes for step in SUMMARIES["roth2013"].steps()}


def test_the_steps_of_2013_hash_the_runs_that_they_show() -> None:
    (shown,) = (step.makes for step in SUMMARIES["roth2013"].steps() if "runs" in step.does)
    (hashed,) = (step.makes for step in SUMMARIES["roth2013"].steps() if "Hash" in step.does)
    firsts = [
        rabin.fingerprints(rabin.distinct_runs_of_four_units_in_text_order(run)).tolist()
        for run in shown.replace("\u2423", " ").split(" ")[:2]
    ]
    assert [[int(value, 16)] for value in hashed.split()] == firsts


def test_a_row_is_coloured_by_the_published_row_above_it(tmp_path: Path) -> None:
    rows = [("printed", 1, 2), ("here", 1, 3)]
    made = make_exhibit("made", "Made", ("what", "a", "b"), rows, published_row_of={1: 0})
    text = page.save_reports_with_page({"holub": Report([made])}, tmp_path).read_text()
    assert "<td class='n same'>1</td><td class='n other'>3</td>" in text


def test_every_room_has_a_summary_and_slides_name_exhibits() -> None:
    assert set(SUMMARIES) == set(ROOMS)
    assert all(summary.questions for summary in SUMMARIES.values())
    names = {each.name for each in lecture(1).exhibits}
    assert set(page.SLIDES) <= names


def test_words_are_told_and_pictures_are_found(tmp_path: Path) -> None:
    report = Report([make_exhibit("made", "Made", ("n",), [(1,)])], [Picture("drawn", _line)])
    text = page.save_reports_with_page({"holub": report}, tmp_path).read_text()
    assert all(f"<dt>{escape(word)}</dt><dd>{escape(WORDS[word])}" in text for word in WORDS)
    assert text.index("id='words'") < text.index("id='holub'") < text.index("id='holub-pictures'")
    assert "<a href='#holub-pictures'>Pictures</a>" in text


def test_slides_stand_in_their_order() -> None:
    firsts = [
        int(page.SLIDES[each.name].split()[0])
        for each in lecture(1).exhibits
        if each.name in page.SLIDES
    ]
    assert firsts == sorted(firsts)
