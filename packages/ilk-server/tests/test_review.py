"""The review: by several people at a time, on disk before it is answered, and exported."""

from __future__ import annotations

import datetime
import json
import os
import re
import zipfile
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from server_support import TOKENS, Serving, make_app
from starlette.testclient import TestClient
from tests.support.families import family

import ilk
from ilk.cli.main import main
from ilk.read import Reading
from ilk.store import Store
from ilk.tasks.labels import read_tab_separated_labels
from ilk_server.application import make_review_application
from ilk_server.decisions import Decisions
from ilk_server.limits import RequestLimits
from ilk_server.review import Review
from ilk_server.review_sources import ReviewedFilePlan
from ilk_server.tokens import LoadedTokens

HOSTILE = "<script>document.title='hit'</script>\"'&\n{{7*7}}"


class Person:
    """Somebody at a browser."""

    def __init__(self, app: Any, who: str, role: str = "write") -> None:
        self.http = TestClient(app, "http://127.0.0.1:8017", follow_redirects=True)
        self.page = self.http.post("/login", data={"token": TOKENS[role], "who": who}).text
        self.at = "/"

    def get(self, path: str) -> str:
        answer = self.http.get(path)
        self.at, self.page = str(answer.url.copy_with(scheme="", host="", port=None)), answer.text
        assert answer.status_code == 200, answer.text
        return self.page

    def fields(self) -> dict[str, str]:
        form = self.page.split('id="decide"')[1].split("</form>")[0]
        found = re.findall(r"""name="(\w+)" value=("[^"]*"|'[^']*')""", form)
        return {name: unescape(value[1:-1]) for name, value in found if name != "said"}

    def shown(self) -> tuple[str, str]:
        """Return the keeper and the member that are shown."""
        fields = self.fields()
        return json.loads(fields["keeper"]), json.loads(fields["name"])

    def say(self, said: str, **other: str) -> int:
        number = re.search(r'action="/review/family/(\d+)"', self.page)
        assert number is not None
        path = f"/review/family/{number[1]}"
        answer = self.http.post(path, data={**self.fields(), "said": said, **other})
        self.page = answer.text
        return answer.status_code

    def undo(self, **number: str) -> str:
        csrf = re.search(r'name="csrf" value="([^"]+)"', self.page)
        assert csrf is not None
        self.page = self.http.post("/review/undo", data={"csrf": csrf[1], **number}).text
        return self.page


@pytest.fixture
def filled(store: Store) -> Store:
    """A store of three families: of four documents, three and two."""
    for seed, members in ((1, 4), (2, 3), (3, 2)):
        for at, text in enumerate(family(seed, members)):
            store.add(text, metadata={"id": f"f{seed}-{at}"})
    return store


@pytest.fixture
def app(filled: Store) -> Any:
    return make_app(filled)


def test_families_come_one_after_the_other_until_all_is_decided(app: Any) -> None:
    ann = Person(app, "Ann")
    assert "0 of 6 documents decided" in ann.get("/review")
    listed = re.findall(r"<bdi>(f\d-\d)</bdi>", ann.page)
    assert listed == ["f1-0", "f2-0", "f3-0"]
    ann.get("/review/next?order=largest")
    seen = []
    while 'id="decide"' in ann.page:
        seen.append(ann.shown())
        assert ann.say("same") == 200
    assert seen == [
        (f"f{s}-0", f"f{s}-{m}") for s, n in ((1, 4), (2, 3), (3, 2)) for m in range(1, n)
    ]
    assert "Everything is decided." in ann.page
    assert "6 of 6 documents decided" in ann.page


def test_the_most_doubtful_family_comes_first(app: Any, filled: Store) -> None:
    least = {}
    for cluster in filled.clusters():
        shares = {m.id: m.resemblance for m in filled.similar(cluster[0])}
        least[f"f{cluster[0]}"] = min(shares[one] or 0 for one in cluster[1:])
    expected = [keeper for keeper, _ in sorted(least.items(), key=lambda each: each[1])]
    page = Person(app, "Ann").get("/review?order=doubtful")
    names = re.findall(r"<bdi>(f\d-0)</bdi>", page)
    numbers = {record.metadata["id"]: f"f{record.id}" for record in filled}
    assert [numbers[name] for name in names] == expected


def test_another_one_is_kept_and_the_rest_are_the_same(app: Any) -> None:
    ann = Person(app, "Ann")
    ann.get("/review/next")
    ann.say("skip")
    assert ann.shown() == ("f1-0", "f1-2")
    ann.say("keeper")
    assert ann.shown() == ("f1-2", "f1-1")
    ann.say("different")
    assert ann.shown() == ("f1-2", "f1-3")
    ann.say("rest")
    assert ann.shown() == ("f2-0", "f2-1")
    labels = ann.http.get("/review/labels.tsv")
    assert "attachment" in labels.headers["content-disposition"]
    assert sorted(labels.text.splitlines()) == [
        "f1-0\tf1-2\t1",
        "f1-2\tf1-1\t0",
        "f1-2\tf1-3\t1",
    ]
    assert ann.http.get("/review/plan.jsonl").status_code == 404


def test_all_that_is_identical_is_accepted_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for seed in (1, 2):
        for at, text in enumerate(family(seed, 3)):
            (folder / f"{seed}{at}.txt").write_text(text)
            (folder / f"{seed}{at} copy.txt").write_text(text)
    plan = tmp_path / "plan.jsonl"
    words = ["scan", str(folder), "--plan", str(plan), "--quiet", "-o", str(tmp_path / "o")]
    assert main(words) == 0
    review = Review(ReviewedFilePlan(plan, Reading.of()), Decisions(tmp_path / "decisions"))
    same = [name for _, _, names in review.undecided_identical_members() for name in names]
    assert same
    ann = Person(
        make_review_application(review, LoadedTokens(tuple(TOKENS.items())), RequestLimits()), "Ann"
    )
    page = ann.get("/review")
    assert f"Accept all {len(same)} identical" in page
    # The list has the bytes of families, a family those of its files, and when they were changed.
    size = sum(path.stat().st_size for path in folder.glob("1*.txt"))
    assert f'<td class="n">{size / 1000:.1f} kB</td>' in page
    one = ann.get("/review/next")
    assert f" B, {datetime.date.today():%Y-%m-%d}</span>" in one
    csrf = re.search(r'name="csrf" value="([^"]+)"', ann.page)
    assert csrf is not None
    refused = ann.http.post("/review/identical", data={"csrf": "wrong"})
    assert refused.status_code == 403
    page = ann.http.post("/review/identical", data={"csrf": csrf[1]}).text
    assert " identical</button>" not in page
    assert review.progress().decided == len(same)
    assert {name for one in review.decisions.decisions_in_force() for name in one.members} == set(
        same
    )
    assert ann.undo() != page
    assert " identical</button>" in ann.get("/review")


def reviewed_files(tmp_path: Path, texts: Mapping[str, str]) -> Review:
    """Return the review of a plan for files."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    plan = tmp_path / "plan.jsonl"
    words = ["scan", str(folder), "--plan", str(plan), "--quiet", "-o", str(tmp_path / "o")]
    assert main(words) == 0
    return Review(ReviewedFilePlan(plan, Reading.of()), Decisions(tmp_path / "decisions"))


def entered(review: Review, who: str = "Ann") -> Person:
    return Person(
        make_review_application(review, LoadedTokens(tuple(TOKENS.items())), RequestLimits()), who
    )


def test_one_decision_accepts_a_folder_that_stands_in_another(tmp_path: Path) -> None:
    said = "one thing said here", "words about another matter", "what nobody else has written"
    texts = dict(zip("xyz", said, strict=True))
    names = [f"{folder}/{name}" for folder in ("kept", "old") for name in texts]
    review = reviewed_files(tmp_path, {name: texts[name[-1]] for name in names})
    ann, folder = entered(review), tmp_path / "in"
    page = ann.get("/review")
    assert " is the same as " in page
    assert "Accept 3 identical in it</button>" in page
    csrf = re.search(r'name="csrf" value="([^"]+)"', ann.page)
    assert csrf is not None
    wrong = ann.http.post("/review/folder", data={"csrf": csrf[1], "number": "7"})
    assert wrong.status_code == 422
    page = ann.http.post("/review/folder", data={"csrf": csrf[1], "number": "0"}).text
    assert "identical in it</button>" not in page
    accepted = {name for one in review.decisions.decisions_in_force() for name in one.members}
    assert accepted == {f"{folder}/old/{name}" for name in texts}
    assert review.progress().decided == 3


def test_what_is_alike_enough_is_accepted_at_once(tmp_path: Path) -> None:
    """Everything from the chosen share on, but for what differs in numbers alone."""
    words = [f"word{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(300)]
    texts = {"a.txt": " ".join(words)}
    for name, changed in (("b.txt", 0), ("c.txt", 1), ("d.txt", 15)):
        other = [f"else{chr(97 + at)}" if at < changed else w for at, w in enumerate(words)]
        texts[name] = " ".join(other) + ("." if not changed else "")
    bill = " ".join(word[::-1] for word in words)
    texts |= {f"n{amount}.txt": f"pay {amount} now {bill}" for amount in (100, 200)}
    review = reviewed_files(tmp_path, texts)
    ann = entered(review)
    page = ann.get("/review")
    shares = re.findall(r'<option value="([^"]+)">[^:]*: (\d+)</option>', page)
    assert shares == [("0.99", "2"), ("0.9", "3")]
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf is not None
    for wrong in ("0.5", "nan", ""):
        answer = ann.http.post("/review/alike", data={"csrf": csrf[1], "share": wrong})
        assert (answer.status_code, "0.99" in answer.text) == (422, True)
    assert ann.http.post("/review/alike", data={"csrf": "x", "share": "0.9"}).status_code == 403
    assert not review.decisions.decisions_in_force()
    page = ann.http.post("/review/alike", data={"csrf": csrf[1], "share": "0.99"}).text
    decided = {
        Path(name).name for one in review.decisions.decisions_in_force() for name in one.members
    }
    assert decided == {"b.txt", "c.txt"}
    assert "2 of 4 documents decided" in page
    ann.http.post("/review/alike", data={"csrf": csrf[1], "share": "0.9"})
    assert review.progress().decided == 3
    assert 'action="/review/alike"' not in ann.get("/review")


def test_families_are_ordered_by_their_bytes(tmp_path: Path) -> None:
    texts = {f"small{at}.txt": family(1)[0] for at in range(5)}
    texts |= {f"big{at}.txt": family(2)[0] * 40 for at in range(2)}
    ann = entered(reviewed_files(tmp_path, texts))
    orders = {
        order: re.findall(r"<bdi>(big|small)0.txt</bdi>", ann.get(f"/review?order={order}"))
        for order in ("largest", "bytes")
    }
    assert orders == {"largest": ["small", "big"], "bytes": ["big", "small"]}
    ann.get("/review/next?order=bytes")
    assert Path(ann.shown()[1]).name == "big1.txt"


def test_a_store_without_files_has_no_order_by_bytes(app: Any) -> None:
    page = Person(app, "Ann").get("/review")
    assert "most doubtful first" in page
    assert "most bytes first" not in page


def test_a_button_says_what_it_does_to_the_file(tmp_path: Path, app: Any) -> None:
    """Of files, one goes; of documents that are no files, only labels are said."""
    ann = entered(reviewed_files(tmp_path, {f"{at}.txt": family(1)[0] for at in range(4)}))
    page = ann.get("/review/next")
    for word in ("This one goes", "Stays: different document", "Keep this one instead"):
        assert f">{word} <kbd>" in page
    assert re.findall("All 3 left go|Member 1 of 3", page) == ["Member 1 of 3", "All 3 left go"]
    ann.say("different")
    found = re.findall("All 2 left go|Member 2 of 3", ann.page)
    assert found == ["Member 2 of 3", "All 2 left go"]
    page = Person(app, "Bob").get("/review/next")
    assert ">Same document <kbd>" in page
    assert " goes <kbd>" not in page


def test_a_token_in_the_field_of_the_name_is_shown_to_nobody(app: Any) -> None:
    page = Person(app, "Ann").http.get("/login").text
    assert page.index('name="token"') < page.index('name="who"')
    ann = Person(app, "ilk_" + "x" * 43)
    ann.get("/review/next")
    where = ann.at
    ann.say("same")
    bob = Person(app, "Bob")
    page = bob.get(where)
    assert "same" in page
    assert "ilk_" not in page + bob.get("/review")


def test_what_was_said_is_taken_back(app: Any) -> None:
    ann, bob = Person(app, "Ann"), Person(app, "Bob")
    ann.get("/review/next")
    ann.say("different")
    ann.say("same")
    bob.get("/review/next?order=largest")
    assert bob.shown()[0] == "f2-0"  # Ann looks at the first.
    bob.say("same")
    assert "Undone." in ann.undo()
    assert ann.shown() == ("f1-0", "f1-2")
    assert "Undone." in ann.undo()
    assert ann.shown() == ("f1-0", "f1-1")
    assert "1 of 6 documents decided" in ann.undo()  # What Bob said is Bob's.
    number = re.search(r'name="number" value="(\d+)"', ann.get("/review/family/4"))
    assert number is not None
    assert "Undone." in ann.undo(number=number[1])
    assert "0 of 6 documents decided" in ann.get("/review")


def test_several_people_see_one_another(app: Any) -> None:
    ann, bob = Person(app, "Ann"), Person(app, "Bob <b>")
    ann.get("/review/next")
    bob.get("/review/family/0")
    assert bob.http.get("/review/family/0/looking").json() == ["Ann"]
    assert "Also looking at this family: Ann." in bob.page
    assert ann.http.get("/review/family/0/looking").json() == ["Bob <b>"]
    assert "Bob &lt;b&gt;" in ann.get("/review")
    Person(app, "Ann").get("/review/next")  # In another browser.
    assert bob.http.get("/review/family/0/looking").json() == ["Ann"]
    ann.get("/review/family/0")
    before = dict(bob.fields())
    assert ann.say("same") == 200
    assert bob.say("different", **before) == 200
    assert "Somebody else has decided this in the meantime" in bob.page
    assert "Ann said:" in bob.page
    assert bob.say("different") == 200
    assert "f1-0\tf1-1\t0" in ann.http.get("/review/labels.tsv").text


def test_what_was_decided_survives_the_process(app: Any, filled: Store) -> None:
    ann = Person(app, "Ann")
    ann.get("/review/next")
    ann.say("different")
    later = Person(make_app(filled), "Ann")
    assert "1 of 6 documents decided" in later.get("/review")
    later.get("/review/next")
    assert "Undone." in later.undo()


def test_only_who_may_write_decides(app: Any) -> None:
    reader = Person(app, "Eve", "read")
    page = reader.get("/review/next")
    assert 'id="decide"' not in page
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf is not None
    for path in ("/review/family/0", "/review/undo"):
        assert reader.http.post(path, data={"csrf": csrf[1]}).status_code == 403
    ann = Person(app, "Ann")
    ann.get("/review/next")
    assert ann.say("same", csrf="wrong") == 403
    assert ann.http.post("/review/undo").status_code == 403


@pytest.mark.parametrize(
    ("said", "other", "status"),
    [
        ("maybe", {}, 422),
        ("same", {"name": '"f2-1"'}, 409),
        ("same", {"name": "nothing"}, 400),
        ("same", {"name": "7"}, 422),
        ("same", {"cluster": '"f2-0"'}, 409),
    ],
)
def test_what_makes_no_sense_is_refused(
    app: Any, said: str, other: dict[str, str], status: int
) -> None:
    ann = Person(app, "Ann")
    ann.get("/review/next")
    assert ann.say(said, **other) == status
    assert ann.http.get("/review/family/99").status_code == 404
    assert ann.http.get("/review/labels.tsv").text == ""


def test_a_family_follows_its_store(app: Any, filled: Store) -> None:
    ann = Person(app, "Ann")
    ann.get("/review/next")
    app._app.state.review.collection._look_time = -1e9
    filled.remove(filled.id_of("f1-1"))
    assert ann.shown() == ("f1-0", "f1-1")
    assert ann.say("same") == 409
    ann.get("/review/next")
    assert ann.shown() == ("f1-0", "f1-2")


def test_nothing_in_a_name_or_a_text_is_markup(serving: Serving, store: Store) -> None:
    texts = [f"{HOSTILE} {text}" for text in family(4, 2)]
    for at, text in enumerate(texts):
        store.add(text, source=f"{at} {HOSTILE}")
    person = Person(serving().app, HOSTILE)
    for path in ("/review", "/review/next", "/overview"):
        page = person.get(path)
        assert "<script>document" not in page
        assert ("{{7*7}}" in page) is (path != "/overview")
    person.get("/review/next")
    assert person.shown() == (f"0 {HOSTILE}", f"1 {HOSTILE}")
    assert person.say("same") == 200
    assert "Everything is decided." in person.page
    # A name with the end of a line cannot stand in a file of labels.
    assert person.http.get("/review/labels.tsv").status_code == 422


def test_a_store_of_files_gives_a_plan_that_is_applied(tmp_path: Path) -> None:
    from ilk.tasks.apply import carry, file_plan

    folder = tmp_path / "in"
    folder.mkdir()
    for at, text in enumerate(family(5, 3)):
        (folder / f"{at}.txt").write_text(text)
    path = tmp_path / "files.ilk"
    with ilk.Store(path, texts=True, exact=True) as made:
        made.sync(folder)
    with Store(path) as store:
        ann = Person(make_app(store), "Ann")
        size = (folder / "0.txt").stat().st_size
        assert f"{size} B, {datetime.date.today():%Y-%m-%d}</span>" in ann.get("/review/next")
        ann.say("different")
        ann.say("keeper")
        (tmp_path / "plan.jsonl").write_bytes(ann.http.get("/review/plan.jsonl").content)
        (tmp_path / "labels.tsv").write_bytes(ann.http.get("/review/labels.tsv").content)
    done = file_plan.read_plan(tmp_path / "plan.jsonl")
    names = [(Path(m.path).name, Path(m.needs[0].path).name) for m in done.dropped]
    assert names == [("0.txt", "2.txt")]
    way = carry.DropMethod(carry.MOVE, str(tmp_path / "aside"))
    outcome = carry.apply(done, way, tmp_path / "log.jsonl", dry=False)
    assert (outcome.act_count, outcome.left) == (1, [])
    assert sorted(each.name for each in folder.iterdir()) == ["1.txt", "2.txt"]
    assert len(read_tab_separated_labels(tmp_path / "labels.tsv")) == 2


def synchronised(tmp_path: Path, texts: dict[str, str], folder: str = "") -> Path:
    """Write files, one after the other, and return a store that was synchronised with them."""
    for day, (name, text) in enumerate(texts.items(), 1):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (day * 86_400, day * 86_400))
    with ilk.Store(tmp_path / "files.ilk", texts=True, exact=True) as made:
        made.sync(folder or tmp_path / "in")
    return tmp_path / "files.ilk"


def proposed(store: Store, person: Person | None = None) -> dict[str, dict[str, Any]]:
    """Return the members of the plan of a review, by the names of their files."""
    ann = person or Person(make_app(store), "Ann")
    lines = [json.loads(row) for row in ann.http.get("/review/plan.jsonl").text.splitlines()]
    return {Path(each["source"]).name: each for row in lines[1:] for each in row["members"]}


def actions_of(member: dict[str, Any]) -> tuple[str, str, list[str] | None]:
    """Return what a plan does with a member, its verdict, and the verdicts that let it go."""
    return member["action"], member["verdict"], member.get("drop_if")


def test_a_document_that_is_no_file_does_not_keep_its_family_out_of_the_plan(
    tmp_path: Path,
) -> None:
    """Neither a member nor an original that came otherwise than from the folder."""
    ones, others = family(5, 3), family(6, 2)
    path = synchronised(
        tmp_path,
        {"a.txt": ones[0], "b.txt": ones[0], "c.txt": ones[1], "d.txt": others[0]},
    )
    with ilk.Store(path) as made:
        made.add([ones[2]], source="mail")
        made.add([others[1]], source="mail too")
    with Store(path) as store:
        ann = Person(make_app(store), "Ann")
        members = proposed(store, ann)
        assert sorted(members) == ["a.txt", "b.txt", "c.txt"]
        dropped = [name for name, one in members.items() if one["action"] == "drop"]
        assert len(dropped) == 1
        assert set(dropped) < {"a.txt", "b.txt"}
        page = ann.get("/review")
        assert "3 documents of these families are not in the plan" in page


def test_files_that_are_like_a_document_that_is_no_file_keep_one_of_them(tmp_path: Path) -> None:
    (text,) = family(5, 1)
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(text)
    (folder / "c.txt").write_text(text + " more")
    with ilk.Store(tmp_path / "files.ilk", texts=True, exact=True) as made:
        made.add([text], source="/0/mail")
        made.sync(folder)
    with Store(tmp_path / "files.ilk") as store:
        members = proposed(store)
    assert sorted(members) == ["a.txt", "b.txt", "c.txt"]
    assert [name for name, one in members.items() if one["action"] == "drop"] == ["b.txt"]
    assert members["b.txt"]["verdict"] == "identical"


def test_a_store_proposes_the_original_that_a_scan_keeps(tmp_path: Path) -> None:
    texts = family(5, 2)
    path = synchronised(
        tmp_path,
        {
            "Letter.txt": texts[0],
            "Letter 2003 final FINAL (2).txt": texts[1],
            "Letter - Copy (2).txt": texts[1],
            "Letter - Copy.txt": texts[0],
        },
    )
    with Store(path) as store:
        assert Path(store[store.clusters()[0][0]].source or "").name == "Letter - Copy (2).txt"
        ann = Person(make_app(store), "Ann")
        ann.get("/review/next")
        assert Path(ann.shown()[0]).name == "Letter.txt"
        members = proposed(store, ann)
    assert next(iter(members)) == "Letter.txt"
    said = {
        name: (one["action"], one["verdict"], one.get("drop_if")) for name, one in members.items()
    }
    assert said == {
        "Letter.txt": ("keep", "identical", None),
        "Letter - Copy.txt": ("drop", "identical", None),
        # The bytes of one of these two stay.
        "Letter - Copy (2).txt": ("keep", "near", ["near"]),
        "Letter 2003 final FINAL (2).txt": ("drop", "near", None),
    }


def test_a_member_that_is_unlike_the_original_is_never_proposed_to_go(tmp_path: Path) -> None:
    words = family(3, 1)[0].split()
    path = synchronised(
        tmp_path,
        {
            "a copy.txt": " ".join(words),
            "b.txt": " ".join([*words[:-9], *(f"b{at}" for at in range(9))]),
            "c copy.txt": " ".join([*(f"c{at}" for at in range(9)), *words[9:]]),
        },
    )
    with Store(path) as store:
        assert store.clusters() == [[0, 1, 2]]
        members = proposed(store)
    said = {
        name: (one["action"], one["verdict"], one.get("drop_if")) for name, one in members.items()
    }
    assert said == {
        "b.txt": ("keep", "identical", None),
        "a copy.txt": ("keep", "near", ["near"]),
        "c copy.txt": ("keep", "connected", None),
    }


def test_decisions_on_a_relative_folder_are_in_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = synchronised(tmp_path, {f"{at}.txt": text for at, text in enumerate(family(5, 3))}, "in")
    with Store(path) as store:
        ann = Person(make_app(store), "Ann")
        ann.get("/review/next")
        assert ann.shown() == ("in/0.txt", "in/1.txt")
        ann.say("different")
        ann.say("keeper")
        members = proposed(store, ann)
    said = {name: (one["action"], one.get("label")) for name, one in members.items()}
    assert said == {
        "0.txt": ("drop", "same"),
        "1.txt": ("keep", None),  # It was compared with the former keeper.
        "2.txt": ("keep", None),
    }


def test_decisions_stay_when_another_original_comes(tmp_path: Path) -> None:
    texts = dict(zip(("a copy.txt", "b copy.txt", "c.txt"), family(5, 3), strict=True))
    last = texts.pop("c.txt")
    path = synchronised(tmp_path, texts)
    with Store(path) as store:
        ann = Person(make_app(store), "Ann")
        ann.get("/review/next")
        assert [Path(name).name for name in ann.shown()] == ["a copy.txt", "b copy.txt"]
        ann.say("different")
        synchronised(tmp_path, {"c.txt": last})
        ann = Person(make_app(store), "Ann")
        ann.get("/review/next")
        assert [Path(name).name for name in ann.shown()] == ["c.txt", "a copy.txt"]
        assert "1 of 2 documents decided" in ann.page
        members = proposed(store, ann)
    assert members["b copy.txt"]["action"] == "keep"


def test_a_document_in_an_archive_stays_and_so_does_the_archive(tmp_path: Path) -> None:
    from ilk.tasks.apply import file_plan

    text = family(5, 1)[0]
    path = synchronised(tmp_path, {"b.txt": text})
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w") as made:
        made.writestr("b.txt", text)
    synchronised(tmp_path, {"b.txt": text})
    with Store(path) as store:
        ann = Person(make_app(store), "Ann")
        ann.get("/review/next")
        (tmp_path / "plan.jsonl").write_bytes(ann.http.get("/review/plan.jsonl").content)
    lines = [json.loads(row) for row in (tmp_path / "plan.jsonl").read_text().splitlines()]
    assert [one.get("file") for one in lines[1]["members"]] == [
        None,
        str(tmp_path / "in" / "a.zip"),
    ]
    assert file_plan.read_plan(tmp_path / "plan.jsonl").dropped == ()


def test_the_overview_shows_what_was_counted(app: Any) -> None:
    ann = Person(app, "Ann")
    head = {"Authorization": f"Bearer {TOKENS['admin']}"}
    ann.http.post("/check", json={"text": family(1)[0]}, headers=head)
    body = {"text": family(1)[0], "on_duplicate": "refuse"}
    assert ann.http.post("/documents", json=body, headers=head).status_code == 409
    page = ann.get("/overview")
    assert "9 documents; 9 of them are in\n 3 families." in page
    assert '<svg class="columns" role="img" aria-label="Documents added, by hour: 9' in page
    for said, count in (("asked about", 1), ("refused as duplicates", 1), ("2", 1), ("4", 1)):
        assert f'<bdi>{said}</bdi></th><td class="n">{count}</td>' in page
    assert "in conflict with what is stored: duplicates" in page
    metrics = ann.http.get("/metrics", headers=head).text.splitlines()
    assert "ilk_duplicates_refused_total 1.0" in metrics
