"""Canonical URLs of anything: one form, the same meaning, and no crash."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urlsplit

from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.reference import urls as reference
from url_spelling import spell_by_standard_or_none

from ilk_web import urls
from ilk_web.errors import UrlError

_PIECES = st.sampled_from(
    [
        "/", "//", "a", "B", "index.html", "index.html/", ".", "..", "%2e", "%", "%4", "%41", "%2F",
        ";jsessionid=1", "?", "&", "&&", "=", "x=1", "utm_source=1", "%75tm_id", "sid",
        "PHPSESSID=1", "ASPSESSIONIDX", "/(4hqa0555fwsecu455xqckv45)/", "gclid", "_ga=1", ":",
        "#", "#!", "www.", "http://", ":80", "@", "\\", " ", "é", "\0", "~",
    ]
)  # fmt: skip

_HOSTS = st.sampled_from(
    ["a.org", "www.a.org", "WWW2.a.org.", "www.www.a.org", "0x7f.1", "[::1]:80", "u:p@a.org:8080"]
)

#: Addresses of the web with all that the rules look for, in any order.
addresses = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}/{''.join(rest)}",
    st.sampled_from(["http", "https", "HTTP"]),
    _HOSTS,
    st.lists(st.one_of(_PIECES, st.text(max_size=3)), max_size=8),
)

profiles = st.builds(
    lambda base, changes: base + "".join(changes),
    st.sampled_from(list(urls.PROFILES)),
    st.lists(st.builds(str.__add__, st.sampled_from("+-"), st.sampled_from(list(urls.RULES)))),
)


@given(st.one_of(addresses, st.text(st.characters())), profiles)
@example("http://a.org/%%36%31", "safe")
@example("https://www.a.org//index.html/?&#!", "aggressive")
def test_a_canonical_url_is_its_own(url: str, profile: str) -> None:
    try:
        found = urls.canonical(url, profile)
    except UrlError:
        assume(False)
    assert urls.canonical(found, profile) == found
    assert urls.canonical(found, "safe-escapes") == found
    assert urls.canonical_many([url], profile).to_pylist() == [found]
    fired = urls.explain(url, profile)
    assert (fired[-1].after if fired else url) == found
    urls.surt(url, profile)


@given(addresses, st.sets(st.sampled_from(list(urls.RULES))))
@example("http://a.org/(S(4hqa0555fwsecu455xqckv45))/b;jsessionid=1/..;jsessionid=2/c", {"session"})
@example(f"http://a.org/?SID={'9f' * 16}&sid={'9f' * 15}", {"session"})
@example("http://a.org/?wt.mc_id&PK_kwd=1&wtxmc_id", {"tracking"})
@example("https://a.org:80/", {"scheme"})
@example("http://www.0x7f.1.a/", {"www"})
@example("http://www.1.2/", {"www", "dot"})
def test_rules_are_what_their_definitions_say(url: str, chosen: set[str]) -> None:
    profile = "".join(["safe-escapes", *(f"+{name}" for name in sorted(chosen))])
    assert list(reference.RULES) == list(urls.RULES)
    expected = reference.canonical(url, sorted(chosen), spell_by_standard_or_none)
    assert urls.canonical_many([url], profile).to_pylist() == [expected]


@given(addresses)
def test_the_safe_form_means_the_same_bytes(url: str) -> None:
    """Decoded, path and query are what the standard's own spelling says."""
    before, after = (urlsplit(urls.canonical(url, name)) for name in ("safe-escapes", "safe"))
    assert (before.scheme, before.netloc) == (after.scheme, after.netloc)
    assert unquote_to_bytes(before.path) == unquote_to_bytes(after.path)
    assert unquote_to_bytes(before.query) == unquote_to_bytes(after.query)


@given(addresses, addresses)
def test_a_wider_profile_makes_more_urls_equal(one: str, other: str) -> None:
    for narrow, wide in (("safe", "crawl"), ("crawl", "aggressive")):
        if urls.same_page(one, other, narrow):
            assert urls.same_page(one, other, wide)


_FEW = st.builds(
    lambda scheme, host, path, query: f"{scheme}://{host}/{path}{query}",
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.org", "www.a.org", "b.org"]),
    st.sampled_from(["", "x", "x/", "x/index.html"]),
    st.sampled_from(["", "?", "?p=1", "?p=2", "?q=1&p=1", "?p=1&q=1", "?q=1"]),
)


@given(st.dictionaries(_FEW, st.integers(0, 3), max_size=30), st.integers(1, 3))
def test_evidence_merges_no_pages_that_differ(pages: dict[str, int], least: int) -> None:
    learned = urls.learn(pages.items(), least=least, share=1)
    merged: dict[str, set[int]] = {}
    for url, content in pages.items():
        found = learned.canonical(url)
        assert learned.canonical(found) == found
        merged.setdefault(found, set()).add(content)
    assert all(len(contents) == 1 for contents in merged.values())
