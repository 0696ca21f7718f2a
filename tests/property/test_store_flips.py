"""A store with a flipped bit, or cut short, gives the clean answer or says what is damaged."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections import Counter
from collections.abc import Callable
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


def fill(path: Path, *, exact: bool) -> None:
    with Store(path, texts=True, exact=exact, jobs=1) as store:
        for topic in range(TOPICS):
            some = [text(topic, edits, 30 + 20 * (topic % 4)) for edits in (0, 1, 2)]
            store.add_many([*some, some[0].upper()])
        store.add("!", source="short", title="a title", metadata={"id": "own", "year": 1997})
        store.update(5, text(99, 0), title="changed")
        store.remove([8])


def checked(one: str, store: Store) -> list[dict[str, Any]]:
    return [match.to_dict() for match in store.check([one])]


def verbs() -> dict[str, Callable[[Store], Any]]:
    asked = [text(topic, 1, 30 + 20 * (topic % 4)) for topic in (0, 1, 7)]
    found: dict[str, Callable[[Store], Any]] = {
        "count": len,
        "list": lambda store: [record.to_dict() for record in store],
        "clusters": lambda store: store.clusters(),
        "number": lambda store: store.number("own"),
        "texts": lambda store: [store.text(id_) for id_ in (0, 5, 20)],
        "similar": lambda store: [one.to_dict() for one in store.similar(2)],
        "fingerprint": lambda store: [
            one.to_dict() for one in store.check_fingerprint(store[4].fingerprint or b"", 20)
        ],
    }
    for at, one in enumerate(asked):
        found[f"check {at}"] = partial(checked, one)
    return found


def answers(path: Path) -> dict[str, Any]:
    """What every verb answers in a store that was just opened."""
    found: dict[str, Any] = dict.fromkeys(verbs(), SAID)
    try:
        with Store(path, create=False, jobs=1) as store:
            for name, verb in verbs().items():
                with contextlib.suppress(IlkError):
                    found[name] = verb(store)
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


def tried(folder: Path, exact: bool, seeds: range) -> Counter[str]:
    """Damage copies of a store, ask each everything, and count what happened."""
    clean = folder / "clean.ilk"
    fill(clean, exact=exact)
    right, counts = answers(clean), Counter[str]()
    assert SAID not in right.values()
    assert problems(clean) == []
    path = folder / "damaged.ilk"
    for seed in seeds:
        for left in folder.glob("damaged*"):
            left.unlink()
        shutil.copy(clean, path)
        what = damage(path, random.Random(seed))
        found = answers(path)
        wrong = [name for name in right if found[name] not in (right[name], SAID)]
        assert not wrong, f"seed {seed}, {what}: {wrong} answer wrongly in silence"
        if SAID in found.values():
            assert problems(path), f"seed {seed}, {what}: validate finds nothing"
            counts["said"] += 1
        else:
            counts["found by validate" if problems(path) else "without effect"] += 1
    return counts


@pytest.mark.parametrize("exact", [False, True])
def test_a_damaged_store_answers_cleanly_or_says_so(tmp_path: Path, exact: bool) -> None:
    counts = tried(tmp_path, exact, range(150))
    assert counts["said"] > 0
    assert counts["found by validate"] > 0


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("exact", [False, True])
def test_so_do_many(
    tmp_path: Path, exact: bool, record_property: Callable[[str, object], None]
) -> None:
    counts = tried(tmp_path, exact, range(5000))
    record_property("outcomes", dict(counts))
    assert counts["said"] > 0
