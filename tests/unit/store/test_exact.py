"""An exact store misses nothing that its resemblance asks for, whatever the fingerprints say."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import ilk
from ilk.arrow import verdicts
from ilk.base.errors import IdError, OptionError, StoreDamaged
from ilk.store import Added, Store, checkin, incoming, keepers
from ilk.store.index import StoreSizes
from tests.support.stores import LONG, OTHER, put_fingerprints, raw


@pytest.fixture
def exact(path: Path) -> Iterator[Store]:
    with Store(path, exact=True, jobs=1) as made:
        yield made


def edited(draw: random.Random, text: str, edits: int) -> str:
    words = text.split()
    for number in range(edits):
        words[draw.randrange(len(words))] = f"edit{number}"
    return " ".join(words)


def test_what_fingerprints_miss_is_found(tmp_path: Path) -> None:
    """Of short texts, which are measured by their characters, fingerprints of words miss many."""
    short = " ".join(f"something{number}" for number in range(40))
    texts = [short.replace(f"{digit} ", f"{digit}x ") for digit in range(10)] + [OTHER]
    alike = {
        row
        for row, text in enumerate(texts)
        if ilk.compare([short], [text]).resemblance >= Fraction(4, 5)
    }
    found = []
    for exact in (False, True):
        with Store(tmp_path / f"{exact}.ilk", resemblance=0.8, exact=exact, jobs=1) as store:
            store.add_many(texts)
            found.append({match.id for match in store.check(short) if match.same})
            assert store.settings.expected_recall == store.stats()["expected_recall"]
            assert (store.settings.expected_recall == 1) == exact
    assert found[1] == alike == set(range(10))
    assert found[0] < alike


def test_at_less_than_its_resemblance_it_looks_at_all(exact: Store) -> None:
    half = " ".join(LONG.split()[:100])
    exact.add_many([half, OTHER])
    assert exact.check(LONG) == []
    assert [m.id for m in exact.check(LONG, resemblance=0.49)] == [0]
    assert exact.check(LONG, resemblance=0.51) == []


def test_what_contains_a_text_of_like_size_is_found(exact: Store) -> None:
    words = LONG.split()
    exact.add_many([" ".join(words[:170]), " ".join(words[:172])])
    # All of the first, and of the second, stand in the text: 84 and 85 % of it.
    assert [m.verdict for m in exact.check(LONG)] == ["near", "near"]
    assert [m.verdict for m in exact.check(LONG, resemblance=0.9)] == ["contains", "contains"]


@pytest.mark.parametrize("texts", [["to be"], ["to be", "to bee", "to be!"], ["", "?!", "?"]])
def test_texts_with_too_little_for_a_fingerprint_are_found(
    exact: Store, path: Path, texts: Sequence[str]
) -> None:
    with Store(path, jobs=1) as other:
        assert other.check(texts[0]) == []
        exact.add_many(texts)
        pairs = [(a, b) for a in texts for b in texts if a.strip() and b.strip()]
        for a, b in pairs:
            # Not by its resemblance: that of a text in another one is of words.
            alike = ilk.compare([a], [b]).verdict in verdicts.SAME
            for store in (exact, other):
                assert (texts.index(b) in [m.id for m in store.check(a, containment=None)]) == alike
        exact.remove(range(len(texts)))
        assert other.check(texts[0]) == []
        assert other.validate().problems == []


def test_what_other_processes_write_is_followed(exact: Store, path: Path) -> None:
    with Store(path, jobs=1) as other:
        assert other.settings == exact.settings
        assert other.check(LONG) == []
        exact.add_many([LONG, OTHER])
        assert [m.id for m in other.check(LONG)] == [0]
        other.update(1, f"{LONG} more")
        assert exact.check(OTHER) == []
        assert exact.clusters() == other.clusters() == [[0, 1]]
        other.remove(0)
        assert [m.id for m in exact.check(LONG)] == [1]
        assert exact.validate().problems == []


def test_sets_of_64_bit_hashes_are_found(exact: Store) -> None:
    long = " ".join(f"w{number}" for number in range(3000))
    draw = random.Random(4)
    texts = [edited(draw, long, edits) for edits in (0, 60, 90, 105, 115, 400)]
    exact.add_many(texts)
    measured = [ilk.compare([long], [text]).resemblance for text in texts]
    found = {m.id: m.resemblance for m in exact.check(long)}
    assert found == {row: share for row, share in enumerate(measured) if share >= Fraction(4, 5)}
    assert 3 <= len(found) <= 5
    assert [m.id for m in exact.check(" ".join(long.split()[:2040]), resemblance=0.65)] == [0]


def test_fingerprints_alone_are_found_by_their_bits(exact: Store) -> None:
    put_fingerprints(exact, ilk.fingerprint([LONG], exact.settings.recipe), ["f"])
    exact.add(OTHER)
    assert exact.check(LONG) == []
    assert [m.source for m in exact.check(LONG, radius=0)] == ["f"]
    value = exact[1].fingerprint
    assert value is not None
    assert [m.id for m in exact.check_fingerprint(value, 3)] == [1]
    assert [m.id for m in exact.check(OTHER, radius=128)] == [1, 0]


def test_it_grows_out_of_its_order_and_is_made_again(path: Path) -> None:
    draw = random.Random(5)
    texts = [edited(draw, LONG, 30) + f" {number}" for number in range(60)]
    with Store(path, exact=True, jobs=1) as store:
        store._open_store.index.sizes = StoreSizes(few_documents=2, max_sampled=20)
        for number, text in enumerate(texts):
            assert store.add(text).id == number
        for number, text in enumerate(texts):
            assert store.check(text)[0].id == number
        grown = store.clusters()
    with Store(path, jobs=1) as store:
        assert store.clusters() == grown
        assert store.stats()["index_bytes"] > 0


def test_a_store_of_the_other_kind_is_refused(path: Path) -> None:
    Store(path, exact=True).close()
    for exact in (None, True):
        with Store(path, exact=exact) as store:
            assert store.settings.exact
    with pytest.raises(OptionError, match=r"made with exact=True.*export"):
        Store(path, exact=False)
    other = path.with_name("other.ilk")
    Store(other).close()
    with pytest.raises(OptionError, match=r"made with exact=False.*export"):
        Store(other, exact=True)


def test_of_one_kind_the_other_is_made(path: Path, tmp_path: Path) -> None:
    texts = [LONG, f"{LONG} more", "to be", OTHER]
    with Store(path, texts=True, jobs=1) as store:
        store.add_many(texts)
        table = store.to_arrow().read_all()
    with Store(tmp_path / "exact.ilk", exact=True, jobs=1) as exact:
        assert len(exact.add_many(table)) == 4
        assert exact.clusters() == [[0, 1]]
        assert [m.verdict for m in exact.check("to bee")] == []
        assert [m.verdict for m in exact.check("TO BE")] == ["exact"]


def test_damaged_sets_are_named(exact: Store, path: Path) -> None:
    exact.add_many([LONG, OTHER])
    with raw(path) as connection:
        connection.execute("UPDATE evidence SET word_shingles = zeroblob(40) WHERE id = 1")
    with Store(path) as store:
        assert [m.id for m in store.check(LONG)] == [0]
        with pytest.raises(StoreDamaged, match="the evidence of document 1"):
            store.check(OTHER)


#: What may happen to the index of an exact store in its file.
DAMAGES = {
    "UPDATE postings SET entries = zeroblob(40)": "a bucket of words is damaged",
    "UPDATE postings SET entries = 7": "a bucket of words is damaged",
    "UPDATE postings SET place = place + 1": "a bucket of words is missing",
    "DELETE FROM postings": "a bucket of words is missing",
    "UPDATE runs SET bits = 1 WHERE part = 'words'": "a run of words is damaged",
    "UPDATE runs SET part = 'words'": "a run of words is damaged",
    "DELETE FROM runs WHERE part = 'words'": "a run of words is missing",
    "UPDATE orders SET counts = zeroblob(40)": "the order words is missing or damaged",
    "UPDATE orders SET documents = 9": "the order words is missing or damaged",
    "UPDATE orders SET made = 9": "the order words is missing or damaged",
    "DELETE FROM orders": "the order words is missing",
}

TEXTS = [LONG, f"{LONG} more", OTHER, "to be or not to be", " ".join(OTHER.split()[:60])]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_named_and_made_again(exact: Store, path: Path, damage: str) -> None:
    exact.add_many(TEXTS)
    with raw(path) as connection:
        connection.execute(damage)
    with Store(path, jobs=1) as store:
        problem = store.validate().problems[0]
        assert problem.startswith("the index of shingles is damaged")
        assert DAMAGES[damage] in problem
        for question in (store.check, store.add):
            with pytest.raises(StoreDamaged, match=DAMAGES[damage]):
                question(f"{LONG} more")
        store.rebuild()
        assert store.validate().problems == []
    with Store(path, jobs=1) as store:
        assert [m.id for m in store.check(f"{LONG} more")] == [1, 0]
        assert [m.id for m in store.check("To be or not to be!")] == [3]


def test_postings_of_other_documents_are_found(exact: Store, path: Path) -> None:
    exact.add_many(TEXTS)
    with raw(path) as connection:
        connection.execute("UPDATE evidence SET id = 9 WHERE id = 4")
    with Store(path, jobs=1) as store:
        assert any("the evidence" in problem for problem in store.validate().problems)
    with raw(path) as connection:
        connection.execute("DELETE FROM evidence WHERE id = 9")
    with Store(path, jobs=1) as store:
        problems = " ".join(store.validate().problems)
        assert "the index words differs from the documents" in problems


def test_what_has_lost_its_evidence_can_be_removed(exact: Store, path: Path) -> None:
    """What it added to the index is then unknown, so that all of it is made again."""
    exact.add_many(TEXTS)
    with raw(path) as connection:
        connection.execute("UPDATE evidence SET word_shingles = x'' WHERE id = 1")
    with Store(path, jobs=1) as store:
        assert store.validate().problems != []
        store.remove([1])
        assert store.validate().problems == []
        assert [m.id for m in store.check(f"{LONG} more")] == [0]


def test_opening_reads_the_index_and_not_the_evidence(exact: Store, path: Path) -> None:
    exact.add_many(TEXTS)
    with raw(path) as connection:
        connection.execute("UPDATE evidence SET word_shingles = x'' WHERE id IN (0, 1, 3)")
    with Store(path, jobs=1) as store:
        assert [m.id for m in store.check(OTHER)] == [2]


def test_a_call_that_fails_leaves_no_index_behind(path: Path) -> None:
    with Store(path, exact=True, jobs=1) as store:
        with pytest.raises(IdError):
            store.remove([7])
        with pytest.raises(ZeroDivisionError), store._open_store.write_transaction():  # noqa: PT012
            checkin.add_documents(
                store._open_store,
                [incoming.prepare_text_or_path_refusing_ambiguity(store._open_store, LONG)],
                "report",
            )
            raise ZeroDivisionError
    with Store(path, jobs=1) as one, Store(path, jobs=1) as other:
        assert one.add(LONG).id == 0
        assert other.add(f"{LONG} more").matches[0].id == 0
        assert [m.id for m in one.check(f"{LONG} more")] == [1, 0]
        assert one.validate().problems == other.validate().problems == []


def test_processes_that_order_shingles_anew_follow_one_another(path: Path) -> None:
    """Each writes in the order that the file has, whoever made it, and whatever it holds itself."""
    draw = random.Random(8)
    texts = [edited(draw, LONG, 30) + f" {number}" for number in range(40)]
    with Store(path, exact=True, jobs=1) as one, Store(path, jobs=1) as other:
        for store in (one, other):
            store._open_store.index.sizes = StoreSizes(few_documents=2, max_sampled=20)
        for number, text in enumerate(texts):
            writer, reader = (one, other) if number % 3 else (other, one)
            assert writer.add(text).id == number
            assert reader.check(text)[0].id == number
        one.remove(range(0, 40, 7))
        for store in (one, other):
            assert store.validate().problems == []
            for number, text in enumerate(texts):
                found = [m.id for m in store.check(text) if m.verdict == "identical"]
                assert found == ([] if number % 7 == 0 else [number])


def test_texts_without_words_are_copies_too(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "s.ilk", exact=True) as store:
        store.add_many(["?! ... ?!", "one two three four"])
        store.add_many(["one two three four", "?! ... ?!"])
        assert [one.copy_of for one in store] == [None, None, 1, 0]


@pytest.mark.parametrize("remembered", [0, 3, 1 << 22])
def test_what_is_remembered_of_a_batch_changes_no_answer(
    remembered: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a chain of texts, each like the next, members find members, whatever is remembered."""
    words = [f"{chr(97 + a)}{chr(97 + b)}" for a in range(8) for b in range(8)]
    texts = [" ".join(words[start : start + 40]) for start in range(0, 24, 2)]
    found: list[tuple[list[Added], list[list[int]]]] = []
    new_documents = keepers.NewDocuments
    for bound in (remembered, 1 << 22):
        remembers = partial(new_documents, max_nominated=bound)
        monkeypatch.setattr(keepers, "NewDocuments", remembers)
        with ilk.Store(tmp_path / f"{len(found)}.ilk", exact=True) as store:
            # The second batch is decided beside keepers of the first.
            added = store.add_many(texts[6:]) + store.add_many(texts[:6])
            found.append((added, store.clusters()))
            assert store.validate().problems == []
    assert found[0] == found[1]
    assert any(one.matches for one in found[0][0])
