"""A store with a flipped bit, or cut short, gives the clean answer or says what is damaged."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ilk.base.errors import IlkError
from ilk.store import Store

TOPICS = 12

#: What an error of a damaged store is written as.
SAID = "an error"


def text(topic: int, edits: int, words: int = 60) -> str:
    """Return words that no other topic has; each edit replaces one."""
    made = [f"topic{topic}word{number}" for number in range(words)]
    for edit in range(edits):
        made[(edit * 17 + topic) % words] = f"edit{edit}"
    return " ".join(made)


def fill(path: Path, kind: Mapping[str, Any]) -> None:
    with Store(path, texts=True, jobs=1, **kind) as store:
        for topic in range(TOPICS):
            some = [text(topic, edits, 30 + 20 * (topic % 4)) for edits in (0, 1, 2)]
            store.add_many([*some, some[0].upper()])
        store.add("!", source="short", title="a title", metadata={"id": "own", "year": 1997})
        store.update(5, text(99, 0), title="changed")
        store.remove([8])
        (path.parent / "files").mkdir()
        for topic in (20, 21):
            (path.parent / "files" / f"{topic}.txt").write_text(text(topic, 0))
        store.sync(path.parent / "files")


def checked(one: str, store: Store) -> list[dict[str, Any]]:
    return [match.to_dict() for match in store.check([one])]


def verbs() -> dict[str, Callable[[Store], Any]]:
    asked = [text(topic, 1, 30 + 20 * (topic % 4)) for topic in (0, 1, 7)]
    found: dict[str, Callable[[Store], Any]] = {
        "count": len,
        "list": lambda store: [record.to_dict() for record in store],
        "clusters": lambda store: store.clusters(),
        "id_of": lambda store: store.id_of("own"),
        "files": lambda store: sorted(store.files(range(60))),
        "sources": lambda store: store.sources(range(60)),
        "history": lambda store: [event.what for event in store.history(5)],
        "texts": lambda store: [store.text(id_) for id_ in (0, 5, 20)],
        "similar": lambda store: [one.to_dict() for one in store.similar(2)],
        "fingerprint": lambda store: [
            one.to_dict() for one in store.check_fingerprint(store[4].fingerprint or b"", 20)
        ],
    }
    for at, one in enumerate(asked):
        found[f"check {at}"] = partial(checked, one)
    found["check short"] = partial(checked, "!")
    found["check copy"] = partial(checked, text(3, 0, 90))
    return found


def told(store: Store) -> dict[str, Any]:
    """What every verb answers."""
    found: dict[str, Any] = dict.fromkeys(verbs(), SAID)
    for name, verb in verbs().items():
        with contextlib.suppress(IlkError):
            found[name] = verb(store)
    return found


def answers(path: Path) -> dict[str, Any]:
    """What every verb answers in a store that was just opened, and what adding returns."""
    found: dict[str, Any] = dict.fromkeys([*verbs(), "add"], SAID)
    try:
        with Store(path, create=False, jobs=1) as store:
            found |= told(store)
            added = store.add([text(4, 1, 30)])
            found["add"] = added.id, [match.to_dict() for match in added.matches]
    except IlkError:
        pass
    return found


def problems(path: Path) -> list[str]:
    try:
        with Store(path, create=False, jobs=1) as store:
            return store.validate().problems
    except IlkError as error:
        return [str(error)]


def damage(path: Path, draw: random.Random) -> str:
    """Flip a bit of a file, or now and then cut it; return which."""
    whole = bytearray(path.read_bytes())
    at = draw.randrange(len(whole))
    if draw.random() < 0.1:
        path.write_bytes(whole[:at])
        return f"cut at {at}"
    bit = draw.randrange(8)
    whole[at] ^= 1 << bit
    path.write_bytes(whole)
    return f"bit {bit} of byte {at}"


def fresh(folder: Path) -> Path:
    """A copy of the clean store, to be damaged."""
    for left in folder.glob("damaged*"):
        left.unlink()
    return Path(shutil.copy(folder / "clean.ilk", folder / "damaged.ilk"))


def tried(folder: Path, kind: Mapping[str, Any], seeds: range) -> Counter[str]:
    """Damage copies of a store, ask each everything, and count what happened."""
    fill(folder / "clean.ilk", kind)
    assert problems(folder / "clean.ilk") == []
    right, counts = answers(fresh(folder)), Counter[str]()
    assert SAID not in right.values()
    for seed in seeds:
        path = fresh(folder)
        what = damage(path, random.Random(seed))
        found = answers(path)
        wrong = [name for name in right if found[name] not in (right[name], SAID)]
        assert not wrong, f"seed {seed}, {what}: {wrong} answer wrongly in silence"
        if SAID in found.values():
            # What is added makes a damaged index again.
            known = problems(path) or found["add"] != SAID
            assert known, f"seed {seed}, {what}: validate finds nothing"
            counts["said"] += 1
        else:
            counts["found by validate" if problems(path) else "without effect"] += 1
    return counts


def tried_open(folder: Path, kind: Mapping[str, Any], seeds: range) -> int:
    """Damage a store and its log while it is open; return how often something was said."""
    fill(folder / "clean.ilk", kind)
    said = 0
    for seed in seeds:
        draw, path = random.Random(seed), fresh(folder)
        with Store(path, create=False, jobs=1) as store:
            store.add_many([text(30, 0), text(31, 0)])
            with Store(path, create=False, jobs=1) as other:
                right = told(other)
                assert SAID not in right.values()
            what = damage(path.with_name(path.name + draw.choice(["", "-wal"])), draw)
            with contextlib.suppress(IlkError), Store(path, create=False, jobs=1) as other:
                for found in (told(store), told(other)):
                    wrong = [name for name in right if found[name] not in (right[name], SAID)]
                    assert not wrong, f"seed {seed}, {what}: {wrong} answer wrongly in silence"
                    said += SAID in found.values()
    return said


KINDS: dict[str, dict[str, Any]] = {
    "fingerprints": {},
    "exact": {"exact": True},
    "noisy": {"noise": 0.05},
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_damaged_store_answers_cleanly_or_says_so(tmp_path: Path, kind: dict[str, Any]) -> None:
    counts = tried(tmp_path, kind, range(60))
    assert counts["said"] > 0
    assert counts["found by validate"] > 0


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_so_does_one_that_is_damaged_while_it_is_open(tmp_path: Path, kind: dict[str, Any]) -> None:
    assert tried_open(tmp_path, kind, range(25)) > 0


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_so_do_many(
    tmp_path: Path, kind: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    counts = tried(tmp_path, kind, range(5000))
    record_property("outcomes", dict(counts))
    assert counts["said"] > 0


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_so_do_many_that_are_open(tmp_path: Path, kind: dict[str, Any]) -> None:
    assert tried_open(tmp_path, kind, range(1000)) > 0
