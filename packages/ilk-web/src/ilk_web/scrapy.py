"""Scrapy: drop or mark items like those in a store, and request each page only once."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, TextIO

from ilk import Store
from ilk.companions import Added, parse_json, text_digests_null_if_blank
from ilk.plugins import MissingExtra, OptionError, arrow
from ilk_web.urls.learned import Learned, learn
from ilk_web.urls.sites import site_of_url as site_of

try:
    from itemadapter import ItemAdapter
    from scrapy import Request, signals
    from scrapy.dupefilters import RFPDupeFilter
    from scrapy.exceptions import DropItem, NotConfigured
    from scrapy.http import TextResponse
except ImportError as error:
    raise MissingExtra("scrapy", "scrapy") from error

__all__ = ["DupeFilter", "Pipeline"]

#: What may happen to an item that is like an earlier one.
_ACTIONS = ("drop", "mark")

#: The file in the folder of JOBDIR.
_FILE = "ilk.pages"

#: Pages of a site after which its rules are learned for the first time; then after twice as many.
_FIRST = 8

#: The visible text of a page.
_SEEN = "//text()[not(ancestor::script or ancestor::style)]"


class Pipeline:
    """Drops or marks items that are like one in a store, and adds all others to it.

    Settings:

    - ``ILK_STORE``: the file of the store, created if missing;
    - ``ILK_TEXT``: the field of texts (``text``); ``ILK_SOURCE``: the field of addresses (``url``);
    - ``ILK_DUPLICATES``: ``drop``, or ``mark``, which sets ``ilk_duplicate_of`` (the source of the
      first one), ``ilk_verdict`` and ``ilk_resemblance``.

    Items without text pass. Statistics: ``ilk/new``, ``ilk/duplicates`` and
    ``ilk/duplicates/VERDICT``.
    """

    def __init__(self, crawler: Any) -> None:
        """Read the settings; NotConfigured without a store."""
        settings = crawler.settings
        self._path = settings.get("ILK_STORE")
        if not self._path:
            raise NotConfigured("ILK_STORE does not name a file")
        self._text = settings.get("ILK_TEXT", "text")
        self._source = settings.get("ILK_SOURCE", "url")
        self._action = settings.get("ILK_DUPLICATES", "drop")
        if self._action not in _ACTIONS:
            raise OptionError(
                f"ILK_DUPLICATES is {self._action!r}; it must be {' or '.join(_ACTIONS)}."
            )
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Any) -> Pipeline:
        """Create it for a crawl."""
        return cls(crawler)

    def open_spider(self, spider: Any = None) -> None:
        """Open the store."""
        del spider
        self._store = Store(self._path)

    def close_spider(self, spider: Any = None) -> None:
        """Close it."""
        del spider
        self._store.close()

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Return an item, marked if it is like another one, or raise DropItem."""
        del spider
        fields = ItemAdapter(item)
        text, source = fields.get(self._text), fields.get(self._source)
        if not isinstance(text, str) or not text.strip():
            return item
        added = self._store.add([text], source=source, on_duplicate="refuse")
        if added.id is not None or _has_match_of_same_source(added, source):
            self._stats.inc_value("ilk/new")
            return item
        like = next(match for match in added.matches if match.same)
        self._stats.inc_value("ilk/duplicates")
        self._stats.inc_value(f"ilk/duplicates/{like.verdict}")
        if self._action == "drop":
            raise DropItem(f"{like.verdict}: like {like.source}")
        fields["ilk_duplicate_of"] = like.source
        fields["ilk_verdict"] = like.verdict
        fields["ilk_resemblance"] = like.resemblance
        return item


def _has_match_of_same_source(addition: Added, source: str | None) -> bool:
    """Return whether an item is stored already, by a crawl that was then interrupted."""
    return source is not None and any(one.same and one.source == source for one in addition.matches)


class DupeFilter(RFPDupeFilter):  # type: ignore[misc]
    """Treats spellings of an address as one page if the pages of its site have proved it.

    As pages arrive, ``ilk_web.urls.learn`` learns which parameters and rules do not matter on a
    site. A rule is used once ``ILK_LEARN_LEAST`` different pages (3) have proved it and no page
    contradicts it; if a page contradicts it later, it is dropped, and the requests that it left
    out are made.
    With ``JOBDIR``, what was learned is kept.

    Statistics: ``ilk/rules`` and ``ilk/left_out`` (requests left out by a rule).
    """

    def __init__(self, path: str | None = None, debug: bool = False, **options: Any) -> None:
        """Start, or resume from a folder."""
        super().__init__(path, debug, **options)
        self._least = 3
        self._crawler: Any = None
        self._pages: dict[str, dict[str, bytes]] = defaultdict(dict)
        self._urls_asked: dict[str, dict[str, None]] = defaultdict(dict)
        self._left_out: dict[str, list[Request]] = defaultdict(list)
        self._rules_of_site: dict[str, Learned] = {}
        self._next: dict[str, int] = {}
        self._log: TextIO | None = None
        if path:
            file = Path(path, _FILE)
            if file.exists():
                self._restore_pages_from_log(file)
            self._log = file.open("a", encoding="utf-8")

    @classmethod
    def from_crawler(cls, crawler: Any) -> DupeFilter:
        """Create it for a crawl, whose pages it sees."""
        dupe_filter: DupeFilter = super().from_crawler(crawler)
        dupe_filter._crawler = crawler
        dupe_filter._least = crawler.settings.getint("ILK_LEARN_LEAST", dupe_filter._least)
        crawler.signals.connect(dupe_filter.learn_from_page, signals.response_received)
        for site in list(dupe_filter._pages):
            dupe_filter._learn_rules_and_request_left_out(site)
        return dupe_filter

    def request_seen(self, request: Any) -> bool:
        """Return whether the page was already requested, by this address or another one."""
        site = site_of(request.url) if request.method == "GET" else None
        if site is None:
            return bool(super().request_seen(request))
        learned = self._rules_of_site.get(site)
        form = request.url if learned is None else learned.canonical(request.url)
        if not super().request_seen(request.replace(url=form)):
            self._urls_asked[site].setdefault(request.url)
            self._append_to_log(asked=request.url)
            return False
        if form != request.url and request.url not in self._urls_asked[site]:
            self._left_out[site].append(request)
            self._count_in_stats("ilk/left_out")
        return True

    def learn_from_page(self, response: Any, **others: Any) -> None:
        """Learn from a page."""
        del others
        site = site_of(response.url)
        if site is None or response.status != 200 or not isinstance(response, TextResponse):
            return
        (digest,) = text_digests_null_if_blank(
            arrow.import_texts([_visible_text_or_raw_content(response)])
        ).to_pylist()
        if digest is None or response.url in self._pages[site]:
            return
        pages = self._pages[site]
        learned = self._rules_of_site.get(site)
        wrong = learned is not None and self._would_rules_merge_unlike_known_page(
            site, learned, response.url, digest
        )
        pages[response.url] = digest
        self._append_to_log(url=response.url, digest=digest.hex())
        if wrong or len(pages) >= self._next.get(site, _FIRST):
            self._learn_rules_and_request_left_out(site)

    def close(self, reason: str) -> Any:
        """Close the files."""
        if self._log is not None:
            self._log.close()
        return super().close(reason)

    def _would_rules_merge_unlike_known_page(
        self, site: str, learned_rules: Learned, url: str, digest: bytes
    ) -> bool:
        """Return whether a rule merges a page with another one that has other contents."""
        form = learned_rules.canonical(url)
        return any(
            other != digest and learned_rules.canonical(known) == form
            for known, other in self._pages[site].items()
        )

    def _learn_rules_and_request_left_out(self, site: str) -> None:
        """Learn the rules of a site; request the pages that they no longer leave out."""
        pages, before = self._pages[site], self._rules_of_site.get(site)
        self._next[site] = max(_FIRST, 2 * len(pages))
        learned = learn(pages.items(), least=self._least, share=1)
        if before is not None and before.rules(site) == learned.rules(site):
            return
        self._rules_of_site[site] = learned
        for url in self._urls_asked[site]:
            super().request_seen(Request(learned.canonical(url)))
        if self._crawler is not None:
            rules = sum(len(one.rules(site)) - 2 for site, one in self._rules_of_site.items())
            self._crawler.stats.set_value("ilk/rules", rules)
        left_out, self._left_out[site] = self._left_out[site], []
        for request in left_out:
            if not self.request_seen(request):
                self._crawler.engine.crawl(request.replace(dont_filter=True))

    def _count_in_stats(self, name: str) -> None:
        if self._crawler is not None:
            self._crawler.stats.inc_value(name)

    def _append_to_log(self, **line: str) -> None:
        if self._log is not None:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()

    def _restore_pages_from_log(self, file: Path) -> None:
        """Restore which pages were requested and which arrived; a truncated line is left out."""
        for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            entry = parse_json(line)
            if "asked" in entry:
                self._urls_asked[site_of(entry["asked"]) or ""].setdefault(entry["asked"])
            else:
                pages = self._pages[site_of(entry["url"]) or ""]
                pages[entry["url"]] = bytes.fromhex(entry["digest"])


def _visible_text_or_raw_content(response: Any) -> str:
    """Return the visible text of a page: without addresses, which may differ."""
    try:
        return " ".join(response.xpath(_SEEN).getall())
    except ValueError:  # It is not a page but JSON or plain text.
        return str(response.text)
