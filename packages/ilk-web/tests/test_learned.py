"""What is learned of a parameter, although another one stands beside it."""

from __future__ import annotations

from ilk_web import urls


def test_a_parameter_is_proved_beside_one_that_follows_visitors() -> None:
    """A crawl has both at once; the default profile leaves the second out anyway."""
    pages: list[tuple[str, str]] = []
    for number in range(20):
        page = f"http://shop.example/item/{number}"
        pages += [(page, f"text {number}")]
        pages += [(f"{page}?sid={number * 7919}&utm_source=x", f"text {number}")]
    (finding,) = [one for one in urls.learn(pages).findings if one.holds]
    assert (finding.site, finding.rule, finding.same) == ("shop.example", "parameter:sid", 20)
    learned = urls.learn(pages)
    assert learned.canonical(pages[1][0]) == pages[0][0]


def test_a_parameter_that_matters_stays_beside_one_that_follows_visitors() -> None:
    pages = [
        (f"http://shop.example/list?page={number}&utm_source=x", f"text {number}")
        for number in range(20)
    ]
    pages.append(("http://shop.example/list", "text 0"))
    assert not [one for one in urls.learn(pages).findings if one.holds]
