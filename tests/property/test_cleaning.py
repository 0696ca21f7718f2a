"""Any folder, cleaned by any plan: what was there is there afterwards, and twice is once."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import ilk
from ilk import write
from ilk.tasks.apply import carry
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from tests.reference import text as reference
from tests.support.file_trees import tree
from tests.support.fixtures import examples

_WORDS = [f"river{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(90)]
_TEXTS = (
    " ".join(_WORDS),
    " ".join(_WORDS).upper(),
    " ".join([*_WORDS[:-1], "otherwise"]),
    " ".join(reversed(_WORDS)),
    " ".join(_WORDS[:45]) + "\n\n" + " ".join(_WORDS[:20]),
)
#: What a person may let go besides files whose bytes stay.
DROPPED = st.lists(st.sampled_from(("exact", "near", "formats", "empty")), unique=True)

_RAW = (b"\xff\xd8\xff\0" * 40, b"\0\1\2\3" * 40, b"")


class Leaf(NamedTuple):
    """What a person would miss: a text, with what it carries besides, or bytes."""

    words: tuple[str, ...]
    more: bytes


def text_of(number: int) -> bytes:
    return _TEXTS[number % len(_TEXTS)].encode()


def zip_of(members: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for at, (name, content) in enumerate(members):
            archive.writestr(zipfile.ZipInfo(f"{at}{name}"), content)
    return out.getvalue()


def word_of(text: bytes, picture: bytes) -> bytes:
    """Return a Word file; only what ilk and the oracle below look at."""
    body = f'<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>{text.decode()}</w:t></w:r></w:p>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
        archive.writestr(zipfile.ZipInfo("word/document.xml"), body + "</w:body></w:document>")
        if picture:
            archive.writestr(zipfile.ZipInfo("word/media/image1.png"), picture)
    return out.getvalue()


def mail_of(text: bytes, attached: list[tuple[str, bytes]]) -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"], made["Message-ID"] = "One", "a@example.org", "<1@example.org>"
    made["Date"] = "Fri, 02 Jan 2026 03:04:05 +0000"
    made.set_content(text.decode())
    for at, (name, content) in enumerate(attached):
        made.add_attachment(content, "application", "octet-stream", filename=f"{at}{name}")
    if attached:
        made.set_boundary("=" * 20)
    return bytes(made)


plain = st.integers(0, 4).map(lambda n: (".txt", text_of(n)))
binary = st.sampled_from(_RAW).map(lambda content: (".bin", content))
torn = st.integers(0, 1).map(
    lambda n: (".txt", text_of(n) + b"\nbroken \xe4\xb8 here " + bytes([128 + n]))
)
word = st.tuples(st.integers(0, 2), st.sampled_from(_RAW)).map(
    lambda pair: (".docx", word_of(text_of(pair[0]), pair[1]))
)
simple = st.one_of(plain, plain, binary, torn, word)
mails = st.tuples(st.integers(0, 3), st.lists(simple, max_size=2)).map(
    lambda pair: (".eml", mail_of(text_of(pair[0]), pair[1]))
)
archives = st.recursive(
    st.one_of(simple, mails),
    lambda inner: st.lists(inner, max_size=3).map(lambda members: (".zip", zip_of(members))),
    max_leaves=5,
)
damaged = archives.map(lambda pair: (pair[0], pair[1][:-7]))
entries = st.lists(
    st.tuples(st.sampled_from(["", "a/", "b/"]), st.one_of(archives, mails, simple, damaged)),
    min_size=2,
    max_size=7,
)


def leaves(content: bytes) -> list[Leaf]:
    """Return all that is in some bytes: the naive way, by the standard library."""
    if content.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
        except Exception:  # What is damaged is only itself.
            return [Leaf((), content)]
        if "word/document.xml" in parts:
            body = parts["word/document.xml"].decode()
            words = body.partition("<w:t>")[2].partition("<")[0].lower().split()
            return [Leaf(tuple(words), parts.get("word/media/image1.png", b""))]
        return [leaf for part in parts.values() for leaf in leaves(part)]
    if content.startswith(b"Subject:"):
        message = message_from_bytes(content)
        every = [part for part in message.walk() if not part.is_multipart()]
        found = []
        for part in every:
            raw = part.get_payload(decode=True)
            assert isinstance(raw, bytes)
            found += leaves(raw)
        return found
    if b"\0" in content or content.startswith(b"\xff\xd8"):
        return [Leaf((), content)]
    return [Leaf(tuple(content.decode("latin-1").lower().split()), b"")] if content else []


def covered(leaf: Leaf, others: set[Leaf]) -> bool:
    """Return whether a leaf is there, or one that shares eight tenths of its shingles."""
    text = " ".join(leaf.words)
    for other in others if leaf.words else ():
        if leaf.more not in (b"", other.more):
            continue
        shared, mine, theirs = reference.resemblance(text, " ".join(other.words), 3)
        if shared >= 0.8 * (mine + theirs - shared) > 0:
            return True
    return leaf in others


def every_leaf(folder: Path) -> set[Leaf]:
    """Return all that is in the files that stay."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    staying = [path for path in paths if "aside" not in path.parts]
    return {leaf for path in staying for leaf in leaves(path.read_bytes())}


def cleaned(name: str, number: int, drop: list[str]) -> int:
    """Scan a folder and carry the plan out; return how many files went."""
    result = ilk.find(Path(name), jobs=1)
    plan, log = Path(f"plan{number}"), Path(f"log{number}")
    with plan.open("wb") as out:
        write.write_jsonl(result.files(drop=drop).lines(), out)
    done = carry.apply(plans.read_plan(plan), DropMethod("move", "in/aside"), log, dry=False)
    assert done.left == []
    return done.act_count


def check(made: list[tuple[str, tuple[str, bytes]]], links: bool, drop: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        before = os.getcwd()
        os.chdir(place)
        try:
            for at, (folder, (kind, content)) in enumerate(made):
                path = Path("in", folder, f"{at}{kind}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            Path("in").mkdir(exist_ok=True)
            Path("in/alone.txt").write_text("something else that is like nothing in here at all")
            if links:
                Path("far").mkdir()
                Path("far/x.txt").write_bytes(text_of(0))
                Path("in/link").symlink_to("../far")
                first = next(path for path in Path("in").rglob("*") if path.is_file())
                os.link(first, "in/hard" + first.suffix)
            was, had = tree(Path("in")), every_leaf(Path("in"))
            count = cleaned("in", 1, drop)
            kept = every_leaf(Path("in"))
            assert [leaf for leaf in had if not covered(leaf, kept)] == []
            assert Path("far/x.txt").exists() == links
            again = [cleaned("in", run, drop) for run in range(2, len(made) + 3)]
            # Keepers are chosen by the folders as they stand. So where near-duplicates may go, the
            # second run may find another keeper, which covers more; it ends in a fixed point.
            assert again[-1] == 0
            assert drop or again[0] == 0
            for run in range(len(again) + 1, 1, -1):
                assert carry.undo(Path(f"log{run}"), dry=False).act_count == again[run - 2]
            assert carry.undo(Path("log1"), dry=False).act_count == count
            assert tree(Path("in")) == was
        finally:
            os.chdir(before)


_TWO_MAILS = [
    ("", (".eml", mail_of(text_of(0), []))),
    ("", (".eml", mail_of(text_of(0), [(".txt", text_of(3))]))),
]
_NESTED = [
    ("", (".txt", text_of(0))),
    ("a/", (".zip", zip_of([(".txt", text_of(0)), (".zip", zip_of([(".bin", _RAW[0])]))]))),
    ("b/", (".zip", zip_of([(".txt", text_of(0)), (".zip", zip_of([(".bin", _RAW[0])]))]))),
]


@example(made=_TWO_MAILS, links=False, drop=["exact"])
@example(made=_NESTED, links=True, drop=[])
@given(made=entries, links=st.booleans(), drop=DROPPED)
@examples(15, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_is_lost_and_in_the_end_there_is_nothing_to_do(
    made: list[tuple[str, tuple[str, bytes]]], links: bool, drop: list[str]
) -> None:
    check(made, links, drop)


@pytest.mark.long
@given(made=entries, links=st.booleans(), drop=DROPPED)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_is_lost_in_any_of_many_folders(
    made: list[tuple[str, tuple[str, bytes]]], links: bool, drop: list[str]
) -> None:
    check(made, links, drop)
