"""The pages: how long they take to make, their sizes, and how a browser opens them."""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import ilk
from benchmarks import timing
from benchmarks.rows import Row

_DOCUMENTS, _WORDS = 100_000, 120

#: Sizes that families have, each as often as it stands here.
_SIZES = (1, 1, 1, 2, 2, 3, 5, 8, 40)

#: Words of an edition, and how many of them are changed in another one.
_EDITION, _EDITED = 60_000, 300

#: Essays, sources, and words of each.
_ESSAYS, _SOURCES, _LONG = 120, 12, 2_000

#: What a page notes of itself: how far its parts moved after they were drawn.
_NOTED = """
    window.shift = 0;
    new PerformanceObserver((seen) => {
        for (const each of seen.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
    }).observe({type: "layout-shift", buffered: true});
"""

#: When something of a page was first drawn.
_PAINTED = """
    new Promise((drawn) => {
        const look = () => {
            const [first] = performance.getEntriesByName("first-contentful-paint");
            if (first) drawn(first.startTime);
            else setTimeout(look, 20);
        };
        look();
    })
"""


def run() -> list[Row]:
    """CPU seconds, megabytes; and where there is a Chromium, seconds, and shifts of the layout."""
    rows = []
    draw = random.Random(0)
    words = [f"{draw.getrandbits(32):x}" for _ in range(20_000)]
    found = ilk.find(_documents(words, draw), jobs=1)
    seconds = timing.medians({"page": lambda: timing.cpu(found.page)}, 3)["page"]
    rows.append(Row("report: page of 10^5 documents", seconds, "CPU-s"))
    pages = {"report": found.page()} | dict(_others(words, draw))
    opened = _opened(pages)
    for name, page in pages.items():
        rows.append(Row(f"{name}: its size", len(page.encode()) / 1e6, "MB", None, "", "<= 20 MB"))
        if name in opened:
            first, whole, shift = opened[name]
            rows.append(Row(f"{name}: first paint in Chromium", first, "s", None, "", "<= 1 s"))
            rows.append(Row(f"{name}: opened in Chromium", whole, "s", None, "", "<= 2 s"))
            rows.append(Row(f"{name}: layout shifts", shift, "", None, "", "<= .1"))
    return rows


def _documents(words: list[str], draw: random.Random) -> dict[str, str]:
    """Return texts of random words in families, an edited copy among every three."""
    found: dict[str, str] = {}
    while len(found) < _DOCUMENTS:
        text = draw.choices(words, k=_WORDS)
        for copy in range(min(_DOCUMENTS - len(found), draw.choice(_SIZES))):
            own = list(text)
            if copy % 3 == 1:
                own[draw.randrange(_WORDS)] = "other"
            name = f"folder{len(found) % 700}/some/where/document{len(found):06}.txt"
            found[name] = " ".join(own)
    return found


def _others(words: list[str], draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the pages of two editions, of essays beside their sources, and of their passages."""
    left = draw.choices(words, k=_EDITION)
    right = list(left)
    for place in draw.sample(range(_EDITION), _EDITED):
        right[place] = "other"
    right[1_000:1_400], right[40_000:40_400] = right[40_000:40_400], right[1_000:1_400]
    texts = [
        "\n".join(" ".join(text[at : at + 12]) for at in range(0, _EDITION, 12))
        for text in (left, right)
    ]
    yield "comparison", ilk.compare([texts[0]], [texts[1]]).html()
    sources = [draw.choices(words, k=_LONG) for _ in range(_SOURCES)]
    essays = []
    for _ in range(_ESSAYS):
        essay = draw.choices(words, k=_LONG)
        for source in draw.sample(sources, 4):
            at, begin = draw.randrange(_LONG - 200), draw.randrange(_LONG - 200)
            essay[at : at + 150] = source[begin : begin + 150]
        essays.append(" ".join(essay))
    against = [" ".join(source) for source in sources]
    yield "plagiarism", ilk.find(essays, against=against, containment=0.95).page()
    yield "passages", ilk.passages([*against, *essays]).page()


def _opened(pages: dict[str, str]) -> dict[str, tuple[float, ...]]:
    """Return medians of three: seconds until the first paint, until a page is drawn, and shifts.

    Without a browser they are left out.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    found: dict[str, tuple[float, ...]] = {}
    with contextlib.suppress(ImportError), tempfile.TemporaryDirectory() as folder:
        from playwright.sync_api import sync_playwright

        if path is None:
            return found
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for name, page in pages.items():
                file = Path(folder, f"{name}.html")
                file.write_text(page, encoding="utf-8", errors="backslashreplace")
                rounds = [_once(chromium, file) for _ in range(3)]
                found[name] = tuple(map(median, zip(*rounds, strict=True)))
            chromium.close()
    return found


def _once(chromium: Any, file: Path) -> tuple[float, float, float]:
    tab = chromium.new_page()
    tab.add_init_script(_NOTED)
    begun = time.perf_counter()
    tab.goto(file.as_uri())
    tab.evaluate("new Promise((drawn) => requestAnimationFrame(() => drawn(1)))")
    whole = time.perf_counter() - begun
    first = tab.evaluate(_PAINTED)
    shift = tab.evaluate("window.shift")
    tab.close()
    return first / 1000, whole, shift
