"""The texts of a crawl, however they are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.fixtures import examples

from ilk.read.pages import Pages
from ilk_web.warc.crawl import Crawl

texts = st.lists(st.none() | st.text(max_size=9).map(str.encode) | st.integers(0, 5), max_size=12)


@examples(50)
@given(added=texts, data=st.data())
def test_texts_are_given_as_they_were_added(
    added: list[bytes | int | None], data: st.DataObject
) -> None:
    """A number repeats an earlier one, as a revisit does."""
    crawl: Crawl[None] = Crawl(Pages("none", 1), 1)
    expected: list[str | None] = []
    for text in added:
        if isinstance(text, int):
            if text < len(expected):
                crawl.add_revisit(text, ())
                expected.append(expected[text])
        else:
            crawl.add_capture(text, ())
            expected.append(None if text is None else text.decode())
    assert crawl.read_texts(range(len(crawl))).to_pylist() == expected
    if expected:
        rows = data.draw(st.lists(st.integers(0, len(expected) - 1)))
        assert crawl.read_texts(rows).to_pylist() == [expected[row] for row in rows]
