"""A crawl of a site on this machine, as a process of its own: ``crawling.py URL SETTINGS``."""

from __future__ import annotations

import json
import sys
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

ITEMS: list[dict[str, Any]] = []


class Walk(scrapy.Spider):  # type: ignore[misc]
    """Follows every link."""

    name = "walk"

    async def start(self) -> Any:
        for url in sys.argv[1].split():
            yield scrapy.Request(url)

    def parse(self, response: Any) -> Any:
        text = " ".join(response.css("p::text").getall())
        yield {
            "url": response.url,
            "text": text,
            "ilk_duplicate_of": None,
            "ilk_verdict": None,
            "ilk_resemblance": None,
        }
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)


class Keep:
    """The last pipeline."""

    def process_item(self, item: Any, spider: Any = None) -> Any:
        del spider  # Older versions of Scrapy give it.
        ITEMS.append(item)
        return item


settings = {
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": 1,
    "DOWNLOAD_DELAY": 0,
    "HTTPPROXY_ENABLED": False,
    **json.loads(sys.argv[2]),
}
settings["ITEM_PIPELINES"] = {**settings.get("ITEM_PIPELINES", {}), Keep: 900}
process = CrawlerProcess(settings)
crawler = process.create_crawler(Walk)
process.crawl(crawler)
process.start()
numbers = {k: v for k, v in crawler.stats.get_stats().items() if isinstance(v, int | float | str)}
sys.stdout.write("FOUND" + json.dumps({"items": ITEMS, "stats": numbers}))
