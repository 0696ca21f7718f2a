"""Roth 2013: the copies are what their names say, and the steps equal slow ones."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import hashing
from tests.support import strategies

from ilk_papers.roth2013 import copies, example, experiment, prototype
from ilk_papers.roth2013.copies import CopyName
from ilk_papers.roth2013.experiment import CorpusFiles, FingerprintedCorpus

contents = st.one_of(st.binary(max_size=80), st.text(max_size=40).map(lambda text: text.encode()))
names = st.text(min_size=1, max_size=12).filter(lambda name: "/" not in name.strip("."))


@given(names, contents, st.integers(0, 1 << 40))
def test_a_copy_is_what_its_name_says(stem: str, content: bytes, seed: int) -> None:
    name = f"{stem}.txt"
    found = copies.draw_modified_copy_or_none(name, content, seed)
    assert found == copies.draw_modified_copy_or_none(name, content, seed)
    if found is None:
        return
    copy, changed = found
    assert CopyName.parse_or_none(copy.name) == copy
    assert (copy.original, copy.kind in "id", 1 <= copy.percent <= 80) == (name, True, True)
    short, long = (content, changed) if copy.kind == "i" else (changed, content)
    assert len(short) <= len(long)
    # One run is in the longer one that is not in the shorter; of an insertion it is the file's own.
    size = len(long) - len(short)
    cuts = [at for at in range(len(short) + 1) if long[:at] + long[at + size :] == short]
    assert cuts
    if copy.kind == "i":
        assert any(long[at : at + size] in content for at in cuts)
    # No character is cut, so that the run may be longer or shorter by three bytes at either end.
    assert abs(size - len(content) * copy.percent / 100) <= 6.5
    assert _is_text(changed) or not _is_text(content)


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.text(max_size=30))
def test_the_example_is_simhash_by_the_oracle(text: str) -> None:
    grams = example.grams(text)
    assert grams == [text[at : at + 3] for at in range(max(0, len(text) - 2))]
    hashes = [sum(map(ord, gram)) % (1 << 16) for gram in grams]
    features = [(value, 1) for value in hashes]
    assert example.fingerprint(grams) == hashing.accumulate(features, 16, hashing.TIES["zero"])
    steps = list(example.voting_steps(grams))
    assert [step.hash for step in steps] == hashes
    for at, step in enumerate(steps):
        assert example.fingerprint(grams[: at + 1]) == sum(
            1 << 15 - place for place, vote in enumerate(step.votes) if vote > 0
        )


@given(st.lists(strategies.fingerprints, max_size=20), strategies.fingerprints, st.integers(0, 64))
def test_both_columns_give_the_same_answer(values: list[int], one: int, radius: int) -> None:
    with closing(
        prototype.make_database_in_memory((f"{at}", value) for at, value in enumerate(values))
    ) as made:
        found = prototype.find_similar_as_number(made, one, radius)
        assert found == prototype.find_similar_as_text(made, one, radius)
    near = [(f"{at}", (value ^ one).bit_count()) for at, value in enumerate(values)]
    expected = [of for of in near if of[1] <= radius]
    assert found == sorted(expected, key=lambda of: (of[1], of[0]))


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=12))
def test_equal_files_are_counted_pair_by_pair(texts: list[str]) -> None:
    files = CorpusFiles()
    files.add((str(at), text) for at, text in enumerate(texts))
    groups = files.group_rows_of_equal_files()
    pairs = {(a, b) for b in range(len(texts)) for a in range(b) if texts[a] == texts[b]}
    assert sum(len(rows) * (len(rows) - 1) // 2 for rows in groups) == len(pairs)
    assert {(a, b) for rows in groups for b in rows for a in rows if a < b} == pairs


@given(st.lists(st.one_of(st.none(), strategies.fingerprints), max_size=30))
def test_comparing_all_and_the_join_give_the_same(values: list[int | None]) -> None:
    kinds = ["{}.txt", "{}_i_5.txt", "{}_d_80.txt"]
    files = [kinds[at % 3].format(at // 3) for at in range(len(values))]
    sizes = [at % 4 for at in range(len(values))]
    read = CorpusFiles(files, sizes, [b"" for _ in files])
    of = FingerprintedCorpus(read, pa.chunked_array([pa.array(values, pa.uint64())]), 0.0)
    found = experiment.measure_comparing_and_join(of)
    assert found.both_agree
    known = [value for value in values if value is not None]
    assert found.comparisons == len(known) * (len(known) - 1) // 2
    near = [
        (a, b)
        for b, other in enumerate(values)
        for a, one in enumerate(values[:b])
        if one is not None and other is not None and (one ^ other).bit_count() <= 6
    ]
    counts = experiment.count_matches(of, found.table).tolist()
    assert counts == [sum(at in pair for pair in near) for at in range(len(values))]
    copies_of = experiment.measure_copies(of)
    expected = [
        (kind, (one ^ other).bit_count())
        for at, one in enumerate(values)
        for kind in ["", "i", "d"][at % 3]
        if one is not None and (other := values[at - at % 3]) is not None
    ]
    measured = zip(copies_of.kinds.tolist(), copies_of.distances.tolist(), strict=True)
    assert list(measured) == expected
    assert set(copies_of.of_kind("i").percents.tolist()) <= {5}
