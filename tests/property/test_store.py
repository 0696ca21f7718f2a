"""A store says what a dictionary of texts says, whatever came, went, changed or broke off."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import ilk
from ilk.store import Match
from ilk.store.index import StoreSizes
from tests.reference.store import SAME, Model
from tests.support import strategies

TEXTS = st.one_of(
    strategies.relative(),
    strategies.relative((60, 75, 90)),
    strategies.relative((60, 75, 90)),
    st.sampled_from(["", " \n", "!", "\0", "to be", "10² of ½", "102 of 1⁄2", "-102 of ½"]),
)


def verdicts(matches: list[Match]) -> dict[int, str]:
    """The verdict of each match; no resemblance exceeds a containment of its pair."""
    for match in matches:
        if match.resemblance is not None:
            assert match.containment_left is not None
            assert match.containment_right is not None
            assert match.resemblance <= min(match.containment_left, match.containment_right)
    return {m.id: "near" if m.verdict == "numbers_only" else m.verdict for m in matches}


class StoreMachine(RuleBasedStateMachine):
    """Calls in any order; everything is compared after each."""

    @initialize(
        bits=st.sampled_from([64, 128]), exact=st.booleans(), min_joined=st.sampled_from([2, 256])
    )
    def begin(self, bits: int, exact: bool, min_joined: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.sizes = StoreSizes(min_joined=min_joined)
        self.path = self.folder / "a.ilk"
        recipe = ilk.Recipe(bits=bits)
        self.store = ilk.Store(
            self.path, recipe=recipe, resemblance=0.7, texts=True, exact=exact, jobs=1
        )
        self.store._open_store.index.sizes = self.sizes
        self.model = Model(
            recipe, self.store.settings.fingerprint_pairing_radius_unless_exact, Fraction("0.7")
        )

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    def ids(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(self.model.texts)))

    @rule(text=TEXTS, policy=st.sampled_from(["report", "refuse", "link"]))
    def add(self, text: str, policy: str) -> None:
        like = self.model.like(text)
        duplicate = any(verdict in SAME for verdict in like.values())
        added = self.store.add(text, source="one", on_duplicate=policy)
        assert added.duplicate == duplicate
        assert verdicts(added.matches).items() <= like.items()
        assert (added.id is None) == (policy == "refuse" and duplicate)
        if added.id is not None:
            assert added.id not in self.model.texts
            self.model.texts[added.id] = text
            link = self.store[added.id].duplicate_of
            assert (link is not None) == (policy == "link" and duplicate)
            assert link is None or like[link] in SAME

    @rule(texts=st.lists(TEXTS, max_size=5), policy=st.sampled_from(["report", "refuse"]))
    def add_many(self, texts: list[str], policy: str) -> None:
        for text, added in zip(texts, self.store.add_many(texts, on_duplicate=policy), strict=True):
            like = self.model.like(text)
            assert added.duplicate == any(verdict in SAME for verdict in like.values())
            assert verdicts(added.matches).items() <= like.items()
            if added.id is not None:
                self.model.texts[added.id] = text

    @precondition(lambda self: self.model.texts)
    @rule(data=st.data(), text=TEXTS)
    def update(self, data: st.DataObject, text: str) -> None:
        id_ = self.ids(data)
        added = self.store.update(id_, text, title="changed")
        del self.model.texts[id_]
        like = self.model.like(text)
        assert added.id == id_
        assert added.duplicate == any(verdict in SAME for verdict in like.values())
        assert verdicts(added.matches).items() <= like.items()
        self.model.texts[id_] = text

    @precondition(lambda self: self.model.texts)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        ids = data.draw(st.lists(st.sampled_from(sorted(self.model.texts)), max_size=4))
        self.store.remove(ids)
        for id_ in set(ids):
            del self.model.texts[id_]

    @rule(text=TEXTS)
    def check(self, text: str) -> None:
        self.agree(self.store.check(text), text, self.model.like(text))

    @rule(text=TEXTS, least=st.sampled_from(["0.3", "0.7", "0.9", "1"]))
    def check_otherwise(self, text: str, least: str) -> None:
        """At another resemblance than that of the store, which an exact one finds all of."""
        found = verdicts(self.store.check(text, resemblance=float(least), containment=None))
        if self.model.radius is None:
            model = replace(self.model, least=Fraction(least))
            like = model.like(text).items()
            assert found == {id_: verdict for id_, verdict in like if verdict in SAME}

    def agree(self, found: list[Match], text: str, like: dict[int, str]) -> None:
        """All that has to be found is, and nothing that is not like the text."""
        told = verdicts(found)
        assert told.items() <= like.items()
        texts = self.model.texts
        assert told.keys() >= {id_ for id_ in like if self.model.must_be_found(text, texts[id_])}

    @precondition(lambda self: self.model.texts)
    @rule(data=st.data())
    def similar(self, data: st.DataObject) -> None:
        id_ = self.ids(data)
        like = self.model.like(self.model.texts[id_])
        like.pop(id_, None)
        self.agree(self.store.similar(id_), self.model.texts[id_], like)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = ilk.Store(self.path, jobs=1)
        self.store._open_store.index.sizes = self.sizes

    @rule()
    def crash(self) -> None:
        """What is on disk at this moment is all that is left."""
        left = self.folder / f"{self.path.stem}a.ilk"
        for ending in ("", "-wal"):
            found = Path(f"{self.path}{ending}")
            if found.exists():
                shutil.copy(found, f"{left}{ending}")
        self.store.close()
        self.path = left
        self.store = ilk.Store(left, jobs=1)
        self.store._open_store.index.sizes = self.sizes

    @rule()
    def broken_off(self) -> None:
        """A call that ends in an error has changed nothing."""
        held = len(self.store)
        try:
            self.store.remove([*self.model.texts, -1])
        except ilk.IlkError:
            assert len(self.store) == held
        else:
            raise AssertionError("an id that does not exist was removed")

    @invariant()
    def nothing_else_is_there(self) -> None:
        if hasattr(self, "store"):
            assert self.store.clusters() == self.model.clusters()
            assert [record.id for record in self.store] == sorted(self.model.texts)
            assert len(self.store) == len(self.model.texts)
            for id_, text in self.model.texts.items():
                assert self.store.text(id_) == text


StoreMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=20)
TestStore = StoreMachine.TestCase
