"""Canonical URLs: every rule by an example, what is no URL, and what pages say."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest

from ilk.base.errors import ColumnTypeError, OptionError
from ilk_web import urls
from ilk_web.errors import UrlError

#: Rule, a URL, and what the rule alone makes of it.
CASES = [
    ("escapes", "http://a.org/%7euser/%2f%3D?%41=%c3%a9", "http://a.org/~user/%2F%3D?A=%C3%A9"),
    ("escapes", "http://a.org/100%", "http://a.org/100%25"),
    ("escapes", "http://a.org/%%36%31", "http://a.org/%2561"),
    ("fragment", "http://a.org/b#top", "http://a.org/b"),
    ("fragment", "http://a.org/b#!page", "http://a.org/b#!page"),
    ("fragment", "http://a.org/b#/page", "http://a.org/b#/page"),
    ("dot", "http://a.org./b", "http://a.org/b"),
    ("dot", "http://a.org.:8080/b", "http://a.org:8080/b"),
    ("session", "http://a.org/b;jsessionid=1F?x=1&PHPSESSID=2", "http://a.org/b?x=1"),
    ("session", "http://a.org/b?sid=wheat", "http://a.org/b?sid=wheat"),
    ("session", "http://a.org/(S(4hqa0555fwsecu455xqckv45))/b.aspx", "http://a.org/b.aspx"),
    ("session", "http://a.org/(notes)/b.aspx", "http://a.org/(notes)/b.aspx"),
    ("session", f"http://a.org/?sid={'9f' * 16}&b=1", "http://a.org/?b=1"),
    ("session", "http://a.org/b?ASPSESSIONIDQQ=2", "http://a.org/b"),
    ("tracking", "http://a.org/?utm_source=x&id=1&gclid=2", "http://a.org/?id=1"),
    ("tracking", "http://a.org/?UTM_Campaign=x", "http://a.org/"),
    ("tracking", "http://a.org/?pk_id=7&source=x", "http://a.org/?pk_id=7&source=x"),
    ("empty", "http://a.org/?", "http://a.org/"),
    ("empty", "http://a.org/?&&a=&b&", "http://a.org/?a=&b"),
    ("order", "http://a.org/?b=1&a=2&b=0", "http://a.org/?a=2&b=1&b=0"),
    ("index", "http://a.org/b/Index.HTML?x", "http://a.org/b/?x"),
    ("index", "http://a.org/b/reindex.html", "http://a.org/b/reindex.html"),
    ("scheme", "https://a.org/b", "http://a.org/b"),
    ("scheme", "https://a.org:80/b", "http://a.org/b"),
    ("www", "http://www.a.org/b", "http://a.org/b"),
    ("www", "http://www3.a.org/b", "http://a.org/b"),
    ("www", "http://www.org/b", "http://www.org/b"),
    ("slash", "http://a.org/b/", "http://a.org/b"),
    ("slash", "http://a.org/", "http://a.org/"),
]


def _alone(rule: str) -> str:
    """The profile of one rule."""
    return "safe" if rule == "escapes" else f"safe-escapes+{rule}"


@pytest.mark.parametrize(("rule", "url", "expected"), CASES)
def test_a_rule_does_what_it_says(rule: str, url: str, expected: str) -> None:
    assert urls.canonical(url, _alone(rule)) == expected
    assert urls.canonical(url, "safe-escapes") == url


def test_every_rule_has_an_example() -> None:
    assert {rule for rule, _, _ in CASES} == set(urls.RULES)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("  HTTP://EXAMPLE.org:80 ", "http://example.org/"),
        ("https://example.org:443/a/./b/../c", "https://example.org/a/c"),
        ("http:\\\\example.org\\a", "http://example.org/a"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://XN--MNCHEN-3YA.example/", "http://xn--mnchen-3ya.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
        ("http://User:Pass@example.org/", "http://User:Pass@example.org/"),
        ("http://example.org/\0\ud800", "http://example.org/%00%EF%BF%BD"),
        ("http://example.org/%2E%2e/%2E/a", "http://example.org/a"),
        ("javascript:alert('#a?b')", "javascript:alert('#a?b')"),
        ("data:text/plain,a%7e", "data:text/plain,a%7e"),
        ("mailto:A@Example.org", "mailto:A@Example.org"),
    ],
)
def test_what_the_standards_call_the_same_is_the_same(url: str, expected: str) -> None:
    assert urls.canonical(url, "safe") == expected


@pytest.mark.parametrize("url", ["", "page.html", "//example.org/", "http://", "http://a b/", "\0"])
def test_what_is_no_absolute_url_is_told(url: str) -> None:
    with pytest.raises(UrlError, match="not an absolute URL"):
        urls.canonical(url)


def test_a_url_is_a_str() -> None:
    with pytest.raises(UrlError, match="got bytes"):
        urls.canonical(b"http://example.org/")  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", ["", "wild", "crawl-nothing", "crawl+", "+www", "CRAWL"])
def test_a_profile_that_there_is_not_is_refused(profile: str) -> None:
    with pytest.raises(OptionError, match=r"safe, crawl, aggressive.*escapes, fragment"):
        urls.canonical("http://example.org/", profile)


def test_a_rule_makes_room_for_another() -> None:
    assert urls.canonical("http://a.org/index.html/", "aggressive") == "http://a.org/"
    assert urls.canonical("http://a.org/?utm_id=1&&", "crawl") == "http://a.org/"
    assert urls.canonical("http://a.org/?%75tm_id=1", "crawl") == "http://a.org/"


def test_a_million_bytes_of_url_are_a_url() -> None:
    long = "http://example.org/" + "a" * 10**6 + "?" + "b=1&" * 10**5
    assert urls.canonical(long).startswith("http://example.org/aaa")


def test_a_column_keeps_its_rows() -> None:
    column = pa.chunked_array([["http://A.org", None], ["nonsense"]])
    found = urls.canonical_many(column)
    assert found.to_pylist() == ["http://a.org/", None, None]
    with pytest.raises(ColumnTypeError):
        urls.canonical_many([1])


def test_why_is_told() -> None:
    fired = urls.explain("HTTPS://www.a.org/index.html/#x", "aggressive")
    assert [step.rule for step in fired] == [
        "standard",
        "fragment",
        "scheme",
        "www",
        "slash",
        "index",
    ]
    for before, after in pairwise(fired):
        assert before.after == after.before
    assert urls.explain("http://a.org/") == []
    assert urls.explain("data:,x") == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://www.a.co.uk/B?x", "uk,co,a,www)/B?x"),
        ("https://me@a.org:8080/", "org,a:8080)/"),
        ("http://127.0.0.1:81/", "127.0.0.1:81)/"),
        ("http://[::1]/", "[::1])/"),
        ("mailto:a@b.org", "mailto:a@b.org"),
    ],
)
def test_sites_lie_together_in_surt_order(url: str, expected: str) -> None:
    assert urls.surt(url) == expected


def _pages(count: int, *forms: str) -> list[tuple[str, str]]:
    """So many pages, each under every form."""
    return [(form.format(page), f"page {page}") for page in range(count) for form in forms]


#: The ways in which two URLs name one page, and the rule that pages prove.
WAYS = [
    ("www", ("http://a.org/{}", "http://www.a.org/{}")),
    ("scheme", ("http://a.org/{}", "https://a.org/{}")),
    ("index", ("http://a.org/{}/", "http://a.org/{}/index.html")),
    ("slash", ("http://a.org/{}", "http://a.org/{}/")),
    ("order", ("http://a.org/?a={0}&b=1", "http://a.org/?b=1&a={0}")),
    ("dot", ("http://a.org/{}", "http://a.org./{}")),
    ("empty", ("http://a.org/{}", "http://a.org/{}?")),
    ("parameter:from", ("http://a.org/{}?from=x", "http://a.org/{}?from=y")),
    ("parameter:print", ("http://a.org/?page={}", "http://a.org/?page={}&print=1")),
]


@pytest.mark.parametrize(("rule", "forms"), WAYS, ids=[rule for rule, _ in WAYS])
def test_pages_prove_a_rule(rule: str, forms: tuple[str, str]) -> None:
    learned = urls.learn(_pages(3, *forms))
    assert [(f.rule, f.same, f.different) for f in learned.findings if f.holds] == [(rule, 3, 0)]
    one, other = (form.format("elsewhere") for form in forms)
    assert learned.canonical(one) == learned.canonical(other)
    assert learned.canonical(one.replace("a.org", "b.org")) == one.replace("a.org", "b.org")


def test_two_pages_prove_nothing() -> None:
    assert not any(finding.holds for finding in urls.learn(_pages(2, *WAYS[0][1])).findings)
    assert any(finding.holds for finding in urls.learn(_pages(2, *WAYS[0][1]), least=2).findings)


def test_pages_that_differ_disprove_a_rule() -> None:
    pages = [(f"http://a.org/?id={number}", f"page {number}") for number in range(9)]
    found = urls.learn(pages).findings
    assert [(f.rule, f.same, f.different, f.holds) for f in found] == [
        ("parameter:id", 0, 1, False)
    ]


def test_an_error_page_under_many_urls_proves_nothing() -> None:
    pages = [(f"http://a.org/{n}{end}", "not found") for n in range(50) for end in ("", "/")]
    found = urls.learn(pages).findings
    assert [(f.rule, f.same, f.holds) for f in found] == [("slash", 1, False)]


def test_rules_are_learned_together() -> None:
    forms = ("http://a.org/{}?from=x", "http://www.a.org/{}?from=x", "http://a.org/{}?from=y")
    learned = urls.learn(_pages(5, *forms, "https://www.a.org/{}?from=y"))
    assert {finding.rule for finding in learned.findings if finding.holds} == {
        "parameter:from",
        "scheme",
        "www",
    }
    assert learned.canonical("https://www.a.org/9?from=z") == "http://a.org/9"


def test_the_first_fetch_counts_and_what_is_no_url_is_left_out() -> None:
    pages = [("http://a.org/", "one"), ("http://a.org/#top", "two"), ("nonsense", "one")]
    assert urls.learn([*pages, ("data:,x", "one")]).findings == []


@pytest.mark.parametrize(("least", "share"), [(0, 0.9), (1, 0.5), (1, 1.1)])
def test_bounds_of_evidence_are_refused(least: int, share: float) -> None:
    with pytest.raises(OptionError, match="least"):
        urls.learn([], least=least, share=share)
