"""Crawls with planted mirrors: pages whose hosts are known to mirror one another, or not."""

from __future__ import annotations

import random
from collections.abc import Iterable

#: Pages by host and path.
Crawl = dict[str, dict[str, str]]

_WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "st", "x", "l")]


def text(draw: random.Random, words: int = 70) -> str:
    """A text like no other."""
    return " ".join(draw.choices(_WORDS, k=words))


def edited(draw: random.Random, page: str, words: int) -> str:
    """A text with a run of this many words replaced."""
    old = page.split()
    at = draw.randrange(len(old) - words)
    return " ".join([*old[:at], *text(draw, words).split(), *old[at + words :]])


def site(draw: random.Random, pages: int, folder: str = "") -> dict[str, str]:
    """A site of its own: some of its pages in folders below the one given."""
    return {f"{folder}/{draw.choice(_WORDS)}/{n}.html": text(draw) for n in range(pages)}


def moved(pages: dict[str, str], root: str) -> dict[str, str]:
    """The same pages below another root."""
    return {root + path: page for path, page in pages.items()}


def planted(seed: int) -> tuple[Crawl, dict[frozenset[str], int]]:
    """A crawl, and the level of every pair of hosts in it that mirror one another."""
    draw = random.Random(seed)
    crawl: Crawl = {}
    truth: dict[frozenset[str], int] = {}

    def plant(level: int, hosts: Iterable[str]) -> None:
        some = list(hosts)
        truth.update({frozenset((a, b)): level for a in some for b in some if a < b})

    archive = site(draw, 40)
    same = [f"ftp{n}.archive.example" for n in range(4)]
    crawl |= {host: dict(archive) for host in same}
    renamed = [f"mirror{n}.example" for n in range(3)]
    crawl |= {host: moved(archive, f"/pub/{n}") for n, host in enumerate(renamed)}
    plant(4, [*same, *renamed])
    plant(1, same)

    shop = site(draw, 40)
    crawl |= {"shop.example": shop, "shop.example:8080": dict(shop)}
    some = draw.sample(sorted(shop), 2)
    crawl["old-shop.example"] = shop | {path: text(draw) for path in some}
    plant(1, ["shop.example", "shop.example:8080", "old-shop.example"])

    news = site(draw, 30)
    crawl["news.example"] = news
    crawl["wire.example"] = {path: edited(draw, page, 3) for path, page in news.items()}
    plant(2, ["news.example", "wire.example"])
    crawl["rewritten.example"] = {path: edited(draw, page, 25) for path, page in news.items()}
    plant(3, ["news.example", "rewritten.example"])
    plant(3, ["wire.example", "rewritten.example"])

    manual = site(draw, 25, "/docs/manual")
    crawl["maker.example"] = manual | site(draw, 60)
    crawl["fan.example"] = manual | site(draw, 50)
    plant(4, ["maker.example", "fan.example"])

    numbered = [f"/page/{n}" for n in range(20)]
    crawl |= {f"blog{n}.example": {path: text(draw) for path in numbered} for n in range(2)}
    plant(5, ["blog0.example", "blog1.example"])

    licence, missing, wired = text(draw), text(draw), [text(draw) for _ in range(2)]
    for n in range(20):
        pages = site(draw, 25) | {path: text(draw) for path in ("/", "/about", "/contact")}
        pages |= {"/licence": licence, f"/news/{n % 3}": wired[n % 2]}
        pages |= {f"/gone/{draw.random()}": missing for _ in range(6)}
        crawl[f"stranger{n}.example"] = pages
    return crawl, truth


def rows(crawl: Crawl) -> list[dict[str, str]]:
    """The pages with their URLs."""
    return [
        {"url": f"https://{host}{path}", "text": page}
        for host, pages in crawl.items()
        for path, page in pages.items()
    ]
