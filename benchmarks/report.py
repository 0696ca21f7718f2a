"""The page of a scan of 10^5 documents: how long it takes to make, its size, and to open it."""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

import ilk
from benchmarks import timing
from benchmarks.rows import Row

_DOCUMENTS, _WORDS = 100_000, 120

#: Sizes that families have, each as often as it stands here.
_SIZES = (1, 1, 1, 2, 2, 3, 5, 8, 40)


def run() -> list[Row]:
    """CPU seconds, megabytes, and seconds where there is a Chromium to open it in."""
    found = ilk.find(_documents(), jobs=1)
    page = found.page()
    seconds = timing.medians({"page": lambda: timing.cpu(found.page)}, 3)["page"]
    size = len(page.encode()) / 1e6
    rows = [
        Row("report: page of 10^5 documents", seconds, "CPU-s"),
        Row("report: its size", size, "MB", None, "", "<= 20 MB"),
    ]
    opened = _opened(page)
    if opened is not None:
        rows.append(Row("report: opened in Chromium", opened, "s", None, "", "<= 2 s"))
    return rows


def _documents() -> dict[str, str]:
    """Return texts of random words in families, an edited copy among every three."""
    draw = random.Random(0)
    words = [f"{draw.getrandbits(32):x}" for _ in range(20_000)]
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


def _opened(page: str) -> float | None:
    """Return the median of three seconds until the page is drawn; None without a browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with contextlib.suppress(ImportError), tempfile.TemporaryDirectory() as folder:
        from playwright.sync_api import sync_playwright

        if path is None:
            return None
        file = Path(folder, "report.html")
        file.write_text(page, encoding="utf-8", errors="backslashreplace")
        seconds = []
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for _ in range(3):
                tab = chromium.new_page()
                begun = time.perf_counter()
                tab.goto(file.as_uri())
                tab.evaluate("new Promise((drawn) => requestAnimationFrame(() => drawn(1)))")
                seconds.append(time.perf_counter() - begun)
                tab.close()
            chromium.close()
        return median(seconds)
    return None
