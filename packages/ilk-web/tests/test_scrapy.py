"""Scrapy: real crawls of a site on this machine, with session ids, print versions and a mirror."""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.demands import package
from tests.support.table_texts import without

package("scrapy")
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from ilk import Store
from ilk.base.errors import IlkError
from ilk_web.scrapy import DupeFilter, Pipeline

PIPELINE = {"ilk_web.scrapy.Pipeline": 300}
FILTER = {"DUPEFILTER_CLASS": "ilk_web.scrapy.DupeFilter"}


class Site(ThreadingHTTPServer):
    """Articles under ``/article?id=N&sid=S``, printed ones, a calendar; sessions change always."""

    daemon_threads = True

    def __init__(self, articles: int, sessions: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.articles, self.sessions, self.served = articles, sessions, 0
        self.fetched: Counter[str] = Counter()

    def page(self, url: str) -> str:
        parts = urlsplit(url)
        asked = {name: value[0] for name, value in parse_qs(parts.query).items()}
        self.served += 1
        session = f"sid={self.served % self.sessions}"
        if parts.path in ("/article", "/print"):
            number = int(asked["id"])
            self.fetched[f"article {number}"] += 1
            words = random.Random(number).choices([f"w{word}" for word in range(500)], k=120)
            following = [(number * 3 + step) % self.articles for step in (1, 2, 5)]
            links = [f"/article?id={one}&{session}" for one in following]
            return _html(" ".join(words), [*links, f"/print?id={number}&{session}"])
        if parts.path == "/calendar":
            month = int(asked["month"])
            self.fetched[f"month {month}"] += 1
            links = [f"/calendar?month={month + 1}&{session}"] if month < 12 else []
            return _html(f"month number {month} of the year has no events at all here", links)
        links = [f"/article?id={one}&{session}" for one in range(0, self.articles, 7)]
        return _html("welcome to the site", [*links, f"/calendar?month=1&{session}"])


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        content = self.server.page(self.path).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def _html(text: str, links: list[str]) -> str:
    anchors = "".join(f'<a href="{link.replace("&", "&amp;")}">on</a>' for link in links)
    return f"<html><body><p>{text}</p>{anchors}</body></html>"


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with Site(*getattr(request, "param", (14, 5))) as opened:
        thread = threading.Thread(target=opened.serve_forever, daemon=True)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def crawl(site: Site, settings: dict[str, Any], hosts: tuple[str, ...] = ("127.0.0.1",)) -> Any:
    site.fetched.clear()
    urls = " ".join(f"http://{host}:{site.server_port}/" for host in hosts)
    words = [sys.executable, str(Path(__file__).with_name("crawling.py")), urls]
    done = subprocess.run([*words, json.dumps(settings)], capture_output=True, text=True)
    assert "FOUND" in done.stdout, done.stderr
    return json.loads(done.stdout.rpartition("FOUND")[2])


def test_each_text_of_a_site_and_its_mirror_becomes_one_item(site: Site, tmp_path: Path) -> None:
    settings = {"ITEM_PIPELINES": PIPELINE, "ILK_STORE": str(tmp_path / "seen.ilk")}
    found = crawl(site, settings, ("127.0.0.1", "localhost"))
    texts = Counter(item["text"] for item in found["items"])
    assert len(texts) >= site.articles
    articles = [text for text in texts if text.startswith("w") and not text.startswith("welcome")]
    assert len(articles) == site.articles
    assert set(texts.values()) == {1}
    assert found["stats"]["ilk/new"] == len(found["items"])
    assert found["stats"]["ilk/duplicates"] == found["stats"]["item_dropped_count"]
    with Store(tmp_path / "seen.ilk") as store:
        assert {record.source for record in store} == {item["url"] for item in found["items"]}


def test_items_may_be_marked_instead(site: Site, tmp_path: Path) -> None:
    store = str(tmp_path / "seen.ilk")
    settings = {"ITEM_PIPELINES": PIPELINE, "ILK_STORE": store, "ILK_DUPLICATES": "mark"}
    items = crawl(site, settings)["items"]
    firsts = {item["url"]: item["text"] for item in items if item["ilk_duplicate_of"] is None}
    marked = [item for item in items if item["ilk_duplicate_of"] is not None]
    assert len(marked) > len(firsts)
    assert all(firsts[item["ilk_duplicate_of"]] for item in marked)
    same = [item for item in marked if item["ilk_verdict"] == "identical"]
    assert same
    assert all(firsts[item["ilk_duplicate_of"]] == item["text"] for item in same)


def test_rules_that_are_learned_spare_pages_and_lose_no_text(site: Site) -> None:
    plain = crawl(site, {})
    every, fetched = set(site.fetched), site.fetched.total()
    assert len(every) == site.articles + 12
    learned = crawl(site, FILTER)
    assert set(site.fetched) == every
    assert site.fetched.total() < 0.85 * fetched
    assert learned["stats"]["ilk/rules"] >= 1
    assert learned["stats"]["ilk/left_out"] > 0
    assert {item["text"] for item in learned["items"]} == {item["text"] for item in plain["items"]}


def test_a_crawl_that_is_resumed_asks_for_nothing_twice(site: Site, tmp_path: Path) -> None:
    """The first part ends after 30 pages; the second one knows what it saw."""
    settings = FILTER | {"JOBDIR": str(tmp_path / "job"), "SCHEDULER_DEBUG": False}
    settings |= {"ITEM_PIPELINES": PIPELINE, "ILK_STORE": str(tmp_path / "seen.ilk")}
    first = crawl(site, settings | {"CLOSESPIDER_PAGECOUNT": 30})
    some = dict(site.fetched)
    second = crawl(site, settings)
    both = Counter(some) + site.fetched
    assert len(both) == site.articles + 12
    texts = [item["text"] for item in (*first["items"], *second["items"])]
    assert len(set(texts)) >= site.articles
    assert (tmp_path / "job" / "ilk.pages").exists()
    third = crawl(site, settings)
    assert third["stats"].get("ilk/new", 0) == 0


def _page(url: str, text: str) -> Any:
    return HtmlResponse(url, body=_html(text, []).encode(), request=Request(url))


def _text(number: int) -> str:
    return f"the text of page number {number}"


def _learned(sites: DupeFilter) -> None:
    """Twelve pages, each under two sessions."""
    for number in range(12):
        for session in "ab":
            url = f"http://a.example/page?id={number}&sid={session}"
            sites.request_seen(Request(url))
            sites.learn_from_page(_page(url, _text(number)))


def test_a_rule_is_used_once_enough_pages_proved_it() -> None:
    made = DupeFilter()
    for number in range(2):
        for session in "ab":
            made.learn_from_page(
                _page(f"http://a.example/page?id={number}&sid={session}", _text(number))
            )
    assert not made.request_seen(Request("http://a.example/page?id=0&sid=c"))
    _learned(made)
    assert made.request_seen(Request("http://a.example/page?id=0&sid=d"))
    assert not made.request_seen(Request("http://a.example/page?id=99&sid=d"))
    assert made.request_seen(Request("http://a.example/page?id=99&sid=e"))
    assert not made.request_seen(Request("http://b.example/page?id=0&sid=d"))


def test_a_page_that_contradicts_a_rule_ends_it_and_what_was_left_out_comes_back() -> None:
    made = DupeFilter()
    _learned(made)
    asked: list[str] = []

    class Engine:
        def crawl(self, request: Any) -> None:
            asked.append(request.url)

    class Crawler:
        engine = Engine()

        class stats:  # noqa: N801
            inc_value = set_value = staticmethod(lambda *_: None)

    made._crawler = Crawler
    assert made.request_seen(Request("http://a.example/page?id=5&sid=c"))
    made.learn_from_page(_page("http://a.example/page?id=5&sid=z", "something else than before"))
    assert "http://a.example/page?id=5&sid=c" in asked
    assert len(set(asked)) == len(asked)
    assert not made.request_seen(Request("http://a.example/page?id=6&sid=d"))


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    made = DupeFilter(str(tmp_path))
    _learned(made)
    made.close("")
    with (tmp_path / "ilk.pages").open("a") as file:
        file.write('{"url": "http://a.exa')
    again = DupeFilter(str(tmp_path))
    again._learn_rules_and_request_left_out("a.example")
    assert again.request_seen(Request("http://a.example/page?id=0&sid=q"))
    again.close("")


@pytest.mark.long
@pytest.mark.parametrize("site", [(170, 6)], indirect=True)
def test_two_thousand_pages_and_their_mirror(site: Site, tmp_path: Path) -> None:
    """Session ids, print versions, a calendar, and all of it once more under another host."""
    hosts = ("127.0.0.1", "localhost")
    plain = crawl(site, {}, hosts)
    every, fetched = set(site.fetched), site.fetched.total()
    assert fetched >= 2000
    settings = FILTER | {"ITEM_PIPELINES": PIPELINE, "ILK_STORE": str(tmp_path / "seen.ilk")}
    learned = crawl(site, settings, hosts)
    assert set(site.fetched) == every
    assert site.fetched.total() < 0.5 * fetched
    articles = {item["text"] for item in plain["items"] if item["text"].startswith("w")}
    found = Counter(item["text"] for item in learned["items"])
    assert articles - set(found) == set()
    assert set(found.values()) == {1}


def test_without_scrapy_the_extra_is_named() -> None:
    assert "pip install 'ilk[scrapy]'" in without("scrapy", "ilk_web.scrapy")


def test_items_of_any_kind_pass_are_stored_or_are_refused(tmp_path: Path) -> None:
    crawler = get_crawler(settings_dict={"ILK_STORE": str(tmp_path / "items.ilk")})
    pipeline = Pipeline.from_crawler(crawler)
    pipeline.open_spider()
    odd: list[Any] = [None, True, -1, 2**70, float("nan"), b"\xff", "\ud800", "a\0b", [], {"a": 1}]
    odd += [object(), io.BytesIO(), (one for one in [1]), "x" * 100_000]
    for number, value in enumerate(odd):
        text = " ".join(f"word{number}-{at}" for at in range(60))
        for item in (value, {"text": value}, {"text": text, "url": value}):
            with contextlib.suppress(IlkError, TypeError, ValueError, DropItem):
                pipeline.process_item(item)
    pipeline.close_spider()
    with Store(tmp_path / "items.ilk") as store:
        assert store.validate().problems == []
