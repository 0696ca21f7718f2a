"""Canonical URLs a second in every profile, against the standard library's cutting of the same."""

from __future__ import annotations

from urllib.parse import urlsplit

import pyarrow as pa

from benchmarks import timing
from benchmarks.rows import Row
from ilk_web import urls

#: What addresses of the web look like: each form is filled with numbers.
_FORMS = (
    "https://www.example{0}.org/news/2024/05/story-{1}.html?utm_source=feed&id={1}",
    "HTTP://Example{0}.ORG:80/a/../%7Eb/index.html?b=2&a=1#top",
    "http://sub.domain{0}.co.uk/path/to/page/{1}/",
    "https://shop{0}.example.com/product.php?sid=1&PHPSESSID={1}&ref=x",
    "https://en.example{0}.net/wiki/Article_{1}",
)

_COUNT = 300_000
_HOSTS = 977


def run() -> list[Row]:
    """URLs per CPU second."""
    given = [_FORMS[n % len(_FORMS)].format(n % _HOSTS, n) for n in range(_COUNT)]
    column = pa.array(given)
    tasks = {name: lambda name=name: _canonical(column, name) for name in urls.PROFILES}
    costs = timing.medians({"": lambda: timing.cpu(lambda: _cut(given)), **tasks})
    cut = costs.pop("")
    return [
        Row(
            f"canonical URLs, {name}",
            _COUNT / cost,
            "URLs/s",
            cut / cost,
            "urllib.parse.urlsplit",
            ">= 500,000 URLs/s",
        )
        for name, cost in costs.items()
    ]


def _canonical(column: pa.Array, profile: str) -> float:
    return timing.cpu(lambda: urls.canonical_many(column, profile))


def _cut(given: list[str]) -> None:
    for url in given:
        urlsplit(url)
