"""The line above which a person should look: at the widest gap between shares, and said so."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.search.measures import format_percent
from ilk.write.plagiarism import find_dividing_line_if_any
from tests.support.command_line import Run

VOCABULARY = [a + b + c for a in ("ba", "ne", "so", "tu") for b in "aeiou" for c in "dklmnprst"]


def write_class(folder: Path) -> None:
    """Write forty essays with one task; three have parts of another one."""
    drawn = random.Random(5)

    def paragraph() -> str:
        return " ".join(drawn.choice(VOCABULARY) for _ in range(60)).capitalize() + "."

    essays = [[paragraph() for _ in range(5)] for _ in range(40)]
    for one, other, parts in ((7, 3, 4), (9, 5, 2), (11, 6, 2)):
        essays[one][:parts] = essays[other][:parts]
    folder.mkdir()
    task = "Say what the sea gave to those who lived by it, and what it took."
    for number, paragraphs in enumerate(essays):
        (folder / f"{number:02}.txt").write_text("\n\n".join([task, *paragraphs]))


@given(st.lists(st.integers(0, 100), max_size=12))
def test_the_line_is_at_the_widest_gap_below_a_quarter(percents: list[int]) -> None:
    shares = [percent / 100 for percent in percents]
    line = find_dividing_line_if_any(shares)
    # Above a quarter all shares are alike.
    ranked = sorted((min(percent, 25) for percent in percents), reverse=True)
    gaps = [upper - lower for upper, lower in pairwise(ranked)]
    if line is None:
        assert max(gaps, default=0) <= 1
        return
    above = [share for share in shares if share >= line.lowest]
    below = [share for share in shares if share <= line.highest]
    assert (len(above), len(below)) == (line.above, line.below)
    assert len(above) + len(below) == len(shares)
    assert min(above) == line.lowest
    assert max(below) == line.highest < 0.25
    assert round(100 * min(line.lowest, 0.25)) - round(100 * line.highest) == max(gaps)


def test_a_class_that_copied_is_above_the_line_and_its_task_below(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "essays"
    write_class(folder)
    code, out, _ = run("scan", folder)
    assert code == 1
    assert "have" not in out
    (hint,) = [line for line in out.splitlines() if "ilk passages" in line]
    assert hint.startswith("6 documents in no family share a fifth of their runs of 3 words")
    assert hint.endswith(f"ilk passages {folder} --report page.html")
    _, out, _ = run("scan", folder, "--as", "code:text")
    hints = [line for line in out.splitlines() if "ilk passages" in line]
    assert all(f"ilk passages {folder} --as code:text --report page.html" in one for one in hints)
    assert len(hints) == 1
    (tmp_path / "hand out.txt").write_text("Name the author of each source that you have read.")
    _, out, _ = run("scan", folder, "--ignore-text", tmp_path / "hand out.txt")
    (hint,) = [line for line in out.splitlines() if "ilk passages" in line]
    ignored = f"--ignore-text '{tmp_path}/hand out.txt'"
    assert hint.endswith(f"ilk passages {folder} {ignored} --report page.html")
    page = tmp_path / "page.html"
    assert run("passages", folder, "--report", page, "--quiet")[0] == 0
    shown = page.read_text()
    assert "6 of 40 documents have" in shown
    assert "34 documents below the line" in shown
    above = shown[: shown.index("below the line")]
    assert all(f"<bdi>{name:02}.txt</bdi></strong>" in above for name in (7, 3, 9, 5, 11, 6))
    # Without what is common to all, no essay shares anything.
    write_class(tmp_path / "others")
    for name in ("03", "05", "06"):
        (folder / f"{name}.txt").unlink()
    assert "ilk passages" not in run("scan", folder)[1]
    assert run("passages", folder, "--report", page, "--force", "--quiet")[0] == 0
    assert "37 of 37 documents have words of others" in page.read_text()


def test_the_line_counts_documents_that_the_page_does_not_show(tmp_path: Path) -> None:
    write_class(tmp_path / "essays")
    found = ilk.passages(tmp_path / "essays", words=5)
    whole = found.page()
    some = found.page(documents=2, listed=3)
    for page in (whole, some):
        assert "6 of 40 documents have" in page
        assert "34 others with words of others have" in page
    assert "38 more, without their texts" in some
    assert "35 without a row here" in some


@given(st.lists(st.fractions(0, 1, max_denominator=10_000), max_size=12))
def test_what_is_said_of_the_line_is_true_of_each_share_on_the_page(shares: list[Fraction]) -> None:
    line = find_dividing_line_if_any(map(float, shares))
    if line is not None:
        least, most = (
            Fraction(said[:-1])
            for said in (line.lowest_above_as_percent, line.highest_below_as_percent)
        )
        # The shares as they stand beside the documents: 12.745 % is 12.7 % in both places.
        said = [Fraction(format_percent(float(share))[:-1]) for share in shares]
        assert sum(share >= least for share in said) == line.above
        assert sum(share <= most for share in said) == line.below


def test_a_run_in_many_places_is_less_evidence_than_a_rare_one() -> None:
    rare, common = "one two three four five six", "eins zwei drei vier fünf sechs"
    texts = [
        f"a {common} b",
        *(f"c{n} {common} d{n}" for n in range(5)),
        f"e {rare} f",
        f"g {rare} h",
    ]
    every = ilk.passages(texts, words=6).copied_parts()
    assert [one.doc for one in every] == [6, 7, 0, 1, 2, 3, 4, 5]
    assert {one.elsewhere for one in every} == {6}
    (last,) = ilk.passages(texts, words=6).copied_parts(1)
    assert last.doc == 0
