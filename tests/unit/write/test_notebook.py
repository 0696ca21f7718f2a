"""Results in a notebook: what is alike, how it begins, what differs, and one plot each."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ilk
from ilk.base.errors import MissingExtra
from tests.support.demands import package

WORDS = [f"word{n}" for n in range(120)]
TEXT = " ".join(WORDS)
OTHER = " ".join([*WORDS[:60], "<b>new</b>", *WORDS[60:]])


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    found = ilk.find([TEXT, "alone", OTHER, TEXT])
    return {
        "result": found,
        "rows": ilk.deduplicate([TEXT, OTHER, "alone"]),
        "family": found.families[0],
        "comparison": ilk.compare([TEXT], [OTHER]),
        "passages": ilk.passages([TEXT, OTHER], words=20),
    }


def cells(html: str) -> list[str]:
    return re.findall("<td[^>]*>(.*?)</td>", html, re.S)


@pytest.mark.parametrize("name", ["result", "rows", "family"])
def test_documents_are_shown_with_how_they_begin_or_differ(
    shown: dict[str, Any], name: str
) -> None:
    html = shown[name]._repr_html_()
    found = cells(html)
    assert "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 …" in found
    assert found.count("3 words added in 1 place") == 1
    assert found.count("original") == 1


def test_each_family_has_a_line_of_its_own(shown: dict[str, Any]) -> None:
    for name in ("result", "family"):
        html = shown[name]._repr_html_()
        assert re.findall(r"<th[^>]*colspan[^>]*>(.*?)</th>", html) == ["near: 3 documents"]
        assert re.findall("<tr style[^>]*bold[^>]*><td[^>]*>(.*?)</td>", html) == ["original"]


def test_the_folder_that_names_share_stands_once(tmp_path: Path) -> None:
    for name, text in {"a/one.txt": TEXT, "b/two.txt": OTHER}.items():
        (tmp_path / "texts" / name).parent.mkdir(parents=True)
        (tmp_path / "texts" / name).write_text(text)
    found = ilk.find(tmp_path)
    for html in (found._repr_html_(), found.families[0]._repr_html_()):
        assert {"a/one.txt", "b/two.txt"} < set(cells(html))
        assert html.count(str(tmp_path)) == html.count(f"document in {tmp_path}/texts/</th>") == 1


def test_a_comparison_says_what_differs(shown: dict[str, Any]) -> None:
    found = cells(shown["comparison"]._repr_html_())
    assert "3 words added in 1 place" in found
    assert "60" in found


def test_passages_are_shown_with_how_they_begin(shown: dict[str, Any]) -> None:
    found = cells(shown["passages"]._repr_html_())
    assert found[:4] == ["2", "243", "2", "2"]
    assert [cell.split()[0] for cell in found[7::4]] == ["word0", "word60"]


def test_nothing_of_a_text_is_markup() -> None:
    first = ilk.find(["<img src=x> " + TEXT, "<img src=x> " + OTHER])
    for result in (first, first.families[0], ilk.compare(["<img> " + TEXT], ["<img> " + OTHER])):
        assert "<img" not in result._repr_html_()


@pytest.mark.parametrize("name", ["result", "rows", "family", "comparison", "passages"])
def test_everything_has_a_plot(shown: dict[str, Any], name: str, tmp_path: Path) -> None:
    package("matplotlib")
    axes = shown[name].plot()
    assert shown[name].plot(axes) is axes
    axes.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_plot_of_a_result_counts_what_is_no_copy(shown: dict[str, Any]) -> None:
    package("matplotlib")
    axes = shown["result"].plot()
    assert sum(bar.get_height() for bar in axes.patches) == 1
    assert axes.lines[0].get_xdata()[0] == 0.8
    axes.figure.canvas.draw()
    assert all(place == int(place) for place in axes.get_yticks())
    legend = axes.get_legend().get_window_extent()
    assert legend.y0 >= axes.get_window_extent().y1 - 1, "it hides bars"


def test_the_plot_of_a_comparison_shows_what_has_moved() -> None:
    package("matplotlib")
    moved = " ".join([*WORDS[60:], "new", *WORDS[:60]])
    axes = ilk.compare([TEXT], [moved]).plot()
    picture = io.BytesIO()
    axes.figure.savefig(picture, format="rgba")
    pixels = np.frombuffer(picture.getvalue(), np.uint8).reshape(-1, 4)
    _, colour = (line.get_color() for line in axes.get_legend().get_lines())
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    assert (pixels[:, :3] == wanted).all(axis=1).sum() > 10_000


def test_the_plot_of_texts_names_its_axis_and_its_colours(shown: dict[str, Any]) -> None:
    package("matplotlib")
    for name, unit, kinds in (
        ("comparison", "characters", ["changed", "moved"]),
        ("passages", "words", ["first time", "again"]),
    ):
        axes = shown[name].plot()
        assert axes.get_xlabel() == unit
        assert [text.get_text() for text in axes.get_legend().get_texts()] == kinds


def test_a_plot_without_matplotlib_says_how_to_get_it(
    shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="ilk.plot."):
        shown["result"].plot()


def test_what_is_printed_of_families_is_short() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    found = ilk.find({"a.txt": text, "b.txt": text, "c.txt": text.replace("word50 ", "other ")})
    (family,) = found.families
    (cluster,) = family.clusters
    assert repr(family) == "<Family 0: 3 documents, 1 cluster, near>"
    assert repr(cluster) == "<Cluster 0: '#0', 3 members, near>"
    assert [repr(member) for member in family.members] == [
        "<Member '#0 (a.txt)': original, resemblance 1>",
        "<Member '#1 (b.txt)': identical, resemblance 1>",
        "<Member '#2 (c.txt)': near, resemblance 0.941>",
    ]
