"""The lecture's newspaper: one front page with two advertisements, by every extraction."""

from __future__ import annotations

import tempfile
from pathlib import Path

import ilk
from ilk.plugins import MissingExtra
from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.standins import generate_prose

#: What ``--extract`` takes, with what each makes of a page.
EXTRACTIONS = {
    "none": "the page as it is",
    "all": "all text without tags",
    "fast": "the main text",
    "quality": "the main text, with fewer mistakes",
}

_PARAGRAPHS, _WORDS, _AD_WORDS = 4, 70, 60

_PAGE = (
    "<!doctype html><html><head><title>The Morning Paper</title></head><body>"
    "<header><nav><a href='/'>Home</a> <a href='/news'>News</a></nav></header>{before}"
    "<main><article><h1>Front page</h1>{story}{inside}</article></main>"
    "<footer>About us</footer></body></html>"
)


def generate_front_page(advertisement: str, *, inside_article: bool, seed: int) -> str:
    """Return a front page with an advertisement: inside its article, or before the main part."""
    story = "".join(f"<p>{generate_prose(_WORDS, seed + at)}</p>" for at in range(_PARAGRAPHS))
    block = f"<div class='ad'>{advertisement}</div>"
    before, within = ("", block) if inside_article else (block, "")
    return _PAGE.format(before=before, story=story, inside=within)


def front_pages_by_extraction_table(seed: int) -> Exhibit:
    """Compare a front page with itself under another advertisement, by every extraction."""
    rows: list[tuple[Value, ...]] = []
    missing = ""
    for place, inside in (("before the main part", False), ("inside the article", True)):
        with tempfile.TemporaryDirectory() as folder:
            one, other = (Path(folder) / f"{at}.html" for at in (1, 2))
            for at, path in enumerate((one, other)):
                advertisement = generate_prose(_AD_WORDS, seed + 100 + at)
                path.write_text(
                    generate_front_page(advertisement, inside_article=inside, seed=seed)
                )
            for extraction, what in EXTRACTIONS.items():
                try:
                    found = ilk.compare(one, other, extract=extraction)
                except MissingExtra as error:
                    missing = f"\n{error}"
                    rows.append((place, extraction, what, "not installed", None))
                else:
                    share = 100 * found.resemblance
                    rows.append((place, extraction, what, found.verdict, share))
    note = f"Both pages have one story, and differ in the advertisement alone.{missing}"
    columns = ("advertisement", "--extract", "what is compared", "verdict", "resemblance, %")
    title = "A front page with two advertisements"
    return make_exhibit("front-page", title, columns, rows, note=note)
