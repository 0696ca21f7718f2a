"""The default plan, in folders with what no reader knows: each content of bytes stays somewhere.

The oracle knows nothing of ilk: it unpacks by the standard library, and takes a container apart
only if its members, packed again, give the same bytes. Any other file must itself stay.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import signal
import tarfile
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import carry
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from ilk.tasks.apply.places import PART
from tests.property import test_cleaning as cleaning
from tests.property.test_cleaning import text_of, zip_of
from tests.property.test_folders import WAYS, Folders, in_steps
from tests.support.file_trees import tree

#: The largest content that the oracle unpacks; those of the tests are far smaller.
_MOST = 1 << 20


def tar_of(members: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for at, (name, content) in enumerate(members):
            info = tarfile.TarInfo(f"{at}{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def gzip_of(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def odd_zip_of(members: list[tuple[str, bytes]], odd: str) -> bytes:
    """Return a ZIP with something that none of its members holds."""
    out = io.BytesIO()
    if odd == "before":
        out.write(b"bytes before the first file")
    with zipfile.ZipFile(out, "w") as archive:
        for at, (name, content) in enumerate(members):
            info = zipfile.ZipInfo(f"{at}{name}")
            if odd == "remark of a file":
                info.comment = b"a remark"
            if odd == "extra field":
                info.extra = b"\xfe\xca\x04\0more"
            archive.writestr(info, content)
        if odd == "remark":
            archive.comment = b"a remark of the whole"
    return out.getvalue()


def odd_tar_of(members: list[tuple[str, bytes]]) -> bytes:
    """Return a tar with a link, and with a record that nobody knows."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for at, (name, content) in enumerate(members):
            info = tarfile.TarInfo(f"{at}{name}")
            info.size, info.pax_headers = len(content), {"ILK.note": "a remark"}
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "elsewhere"
        archive.addfile(link)
    return out.getvalue()


def odd_gzip_of(content: bytes) -> bytes:
    """Return a gzip file with a remark (RFC 1952, 2.3)."""
    packed = gzip_of(content)
    return packed[:3] + b"\x10" + packed[4:10] + b"a remark\0" + packed[10:]


_ODD = ("before", "remark of a file", "extra field", "remark")
_AFTER = (b"\nfollows", bytes(4), bytes(512), b"\0hidden")

code = st.integers(0, 3).map(
    lambda n: (".py", text_of(n // 2).replace(b" ", (b"\n", b"\n    ")[n % 2], 9))
)
plain = st.one_of(cleaning.plain, cleaning.plain, cleaning.binary, cleaning.torn, code)
documents = st.one_of(cleaning.word, cleaning.mails)


def entries_of(
    pool: list[tuple[str, bytes]],
) -> st.SearchStrategy[list[tuple[str, tuple[str, bytes]]]]:
    """Return a few contents again and again, as files and packed in all ways, some with what
    belongs to none of them.
    """
    simple = st.sampled_from(pool)
    some = st.lists(simple, max_size=3)
    zips = some.map(lambda some: (".zip", zip_of(some)))
    packed = st.one_of(
        zips,
        st.lists(st.one_of(simple, zips), max_size=2).map(lambda some: (".zip", zip_of(some))),
        some.map(lambda some: (".tar", tar_of(some))),
        some.map(lambda some: (".tar.gz", gzip_of(tar_of(some)))),
        simple.map(lambda one: (f"{one[0]}.gz", gzip_of(one[1]))),
        simple.map(lambda one: (f"{one[0]}.bz2", bz2.compress(one[1]))),
        simple.map(lambda one: (f"{one[0]}.xz", lzma.compress(one[1]))),
        st.tuples(some, st.sampled_from(_ODD)).map(lambda it: (".zip", odd_zip_of(*it))),
        some.map(lambda some: (".tar", odd_tar_of(some))),
        simple.map(lambda one: (f"{one[0]}.gz", odd_gzip_of(one[1]))),
        zips.map(lambda one: (one[0], one[1][:-7])),
    )
    usual = st.one_of(simple, packed, packed)
    followed = st.tuples(usual, st.sampled_from(_AFTER)).map(
        lambda it: (it[0][0], it[0][1] + it[1])
    )
    doubled = usual.map(lambda one: (one[0], one[1] * 2))
    every = st.one_of(usual, usual, usual, followed, doubled)
    return st.lists(st.tuples(st.sampled_from(["", "a/", "b/"]), every), min_size=3, max_size=12)


#: Readers of documents take a process of their own: most folders do without.
_pools = [st.lists(one, min_size=1, max_size=4) for one in (plain, plain, plain | documents)]
entries = st.one_of(_pools).flatmap(entries_of)


def read_zip(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(one.filename[1:], archive.read(one)) for one in archive.infolist()]


def read_tar(data: bytes) -> list[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        files = [(one.name[1:], archive.extractfile(one)) for one in archive if one.isfile()]
        return [(name, file.read()) for name, file in files if file]


def read_streams(make: Callable[[], Any]) -> Callable[[bytes], list[tuple[str, bytes]]]:
    def read(data: bytes) -> list[tuple[str, bytes]]:
        """Return all streams together, and each alone; whatever follows them."""
        streams = list[bytes]()
        while data:
            one = make()
            try:
                streams.append(one.decompress(data, _MOST))
            except Exception:  # Other bytes follow the last stream.
                break
            data = one.unused_data.lstrip(b"\0")
        return [("", each) for each in (b"".join(streams), *streams)] if streams else []

    return read


#: How members are read, and how these tests pack the same members.
_CONTAINERS: list[
    tuple[Callable[[bytes], list[tuple[str, bytes]]], Callable[[list[tuple[str, bytes]]], bytes]]
] = [
    (read_zip, zip_of),
    (read_tar, tar_of),
    (read_streams(lambda: zlib.decompressobj(31)), lambda some: gzip_of(some[0][1])),
    (read_streams(bz2.BZ2Decompressor), lambda some: bz2.compress(some[0][1])),
    (
        read_streams(lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
        lambda some: lzma.compress(some[0][1]),
    ),
]


def open_container(data: bytes) -> Iterator[tuple[list[bytes], bool]]:
    """Yield members of some bytes, and whether they are known to be all that is in them.

    Any number of zeros may follow a tar, which programs write in blocks of many sizes.
    """
    for read, pack in _CONTAINERS:
        try:
            members = read(data)
        except Exception:  # It is of another kind, or damaged.
            continue
        if members:
            again = pack(members)
            rest = data[len(again) :] if data.startswith(again) else b"other bytes"
            whole = not rest.strip(b"\0") if read is read_tar else not rest
            yield [content for _, content in members], whole


def standing(data: bytes) -> set[bytes]:
    """Return some bytes, and all that can be read from them."""
    inner = {one for members, _ in open_container(data) for one in members if one != data}
    if data.startswith(b"Subject:"):
        parts = [part.get_payload(decode=True) for part in message_from_bytes(data).walk()]
        inner |= {part for part in parts if isinstance(part, bytes)}
    return {data}.union(*map(standing, inner))


def stands(data: bytes, stays: set[bytes]) -> bool:
    """Return whether some bytes stay, or all that a container holds."""
    if data in stays:
        return True
    return any(
        complete and all(stands(one, stays) for one in members)
        for members, complete in open_container(data)
    )


_MEMBERS = [(".txt", text_of(0)), (".bin", bytes(range(256)))]


@pytest.mark.parametrize(
    "data",
    [
        *(odd_zip_of(_MEMBERS, odd) for odd in _ODD),
        odd_tar_of(_MEMBERS),
        odd_gzip_of(text_of(0)),
        *(zip_of(_MEMBERS) + after for after in _AFTER),
        *(gzip_of(tar_of(_MEMBERS)) + after for after in _AFTER),
        *(lzma.compress(text_of(0)) + after for after in _AFTER),
        zip_of(_MEMBERS)[:-7],
    ],
)
def test_the_oracle_sees_what_no_member_holds(data: bytes) -> None:
    stays = {content for _, content in _MEMBERS}
    assert not stands(data, stays)
    assert stands(data, {data})


@pytest.mark.parametrize(
    "data",
    [
        zip_of(_MEMBERS),
        tar_of(_MEMBERS),
        tar_of(_MEMBERS) + bytes(512),
        gzip_of(tar_of(_MEMBERS)),
        zip_of([(".zip", zip_of(_MEMBERS))]),
        bz2.compress(text_of(0)),
        lzma.compress(text_of(0)),
    ],
)
def test_the_oracle_takes_apart_what_its_members_give_again(data: bytes) -> None:
    assert stands(data, {content for _, content in _MEMBERS})
    assert not stands(data, {b"other"})
    assert {text_of(0)} <= standing(data)
    assert {text_of(0)} <= standing(data + bytes(4))


def attributes(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the extended attributes of all files, where the system has them."""
    if not hasattr(os, "listxattr"):
        return {}
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {
        str(path): {name: os.getxattr(path, name) for name in os.listxattr(path)} for path in files
    }


class Contents(Folders):
    """The same folders, with what no reader knows; by the default plan alone."""

    def __init__(self) -> None:
        super().__init__()
        #: The folder before the plan was carried out; None once anything else has changed it.
        self.was: tuple[object, object] | None = None

    @initialize(
        made=entries,
        links=st.booleans(),
        values=st.lists(st.sampled_from([b"one", b"\xff\0"]), max_size=3),
        twins=st.lists(st.sampled_from(["a/copy", "b/old", "c"]), max_size=2, unique=True),
    )
    def folder(
        self,
        made: list[tuple[str, tuple[str, bytes]]],
        links: bool,
        values: list[bytes],
        twins: list[str],
    ) -> None:
        super().folder(made, links)
        # Folders that hold what others hold, under the same names or in others.
        for name in twins:
            source, to = self.top / ("b" if name.startswith("a") else "a"), self.top / name
            if source.is_dir():
                shutil.copytree(source, to, symlinks=True, dirs_exist_ok=True)
                (to / "empty").mkdir(exist_ok=True)
        for number, value in enumerate(values):
            path = self.some(number)
            if path is not None and hasattr(os, "setxattr"):
                os.setxattr(path, "user.tag", value)
        self.was = self.state()

    def state(self) -> tuple[object, object]:
        """Return the files and folders, but no empty folder for moved files, and no mark of one.

        Another run may have left it; whoever puts back the last file removes it.
        """
        every = tree(self.top)
        mark = os.fsencode(MOVED_HERE)
        files = {
            path: said
            for path, said in every.items()
            if not (path.startswith(b"aside") and (said == "folder" or path.endswith(mark)))
        }
        said = attributes(self.top)
        return files, {path: each for path, each in said.items() if Path(path).name != MOVED_HERE}

    def staying(self, *, parts: bool) -> set[bytes]:
        """Return the bytes of the files in the folder that are not aside."""
        paths = [path for path in self.top.rglob("*") if path.is_file() and not path.is_symlink()]
        paths = [path for path in paths if parts or path.suffix != PART]
        return {path.read_bytes() for path in paths if "aside" not in path.parts}

    def everything(self) -> set[Any]:
        return self.staying(parts=False)

    def lost(self, had: set[Any]) -> list[Any]:
        stays = set[bytes]().union(*map(standing, self.staying(parts=True)))
        return [data for data in had if not stands(data, stays)]

    #: Plans and logs as ilk writes them.
    edit_the_plan: Any = None
    damage_the_log: Any = None

    def scan(self, drop: list[str]) -> None:
        """Scan, and check that what the plan drops is in what it leaves."""
        super().scan(drop)
        if self.plan is None:
            return
        rows = [json.loads(line) for line in Path("plan").read_text().splitlines()]
        members = [member for row in rows for member in row.get("members", [])]
        goes = {Path(one["source"]) for one in members if one.get("action") == "drop"}
        goes |= {Path(row["file"]) for row in rows if row.get("action") == "drop"}  # Containers.
        paths = {path for path in self.top.rglob("*") if path.is_file() and not path.is_symlink()}
        assert goes <= paths
        stays = set[bytes]().union(*(standing(path.read_bytes()) for path in paths - goes))
        assert [path for path in goes if not stands(path.read_bytes(), stays)] == []

    @rule()
    def scan_again(self) -> None:
        with self.checked():
            self.scan([])
        self.was = self.state()

    @precondition(lambda self: self.plan is not None)
    @rule(number=st.integers(0, 5), action=st.sampled_from(["keep", "drop"]))
    def decide_on_a_folder(self, number: int, action: str) -> None:
        """Let one decision stand for all files of a folder that stands in another one."""
        rows = [json.loads(line) for line in Path("plan").read_text().splitlines()]
        folders = [row for row in rows if "folder" in row]
        if folders:
            folders[number % len(folders)]["action"] = action
            Path("plan").write_text("".join(json.dumps(row) + "\n" for row in rows))
            self.plan = plans.read_plan("plan")

    @rule(
        number=st.integers(0, 50),
        other=st.integers(0, 50),
        how=st.sampled_from(["replace", "grow", "link", "folder", "hard link", "gone", "above"]),
    )
    def change(self, number: int, other: int, how: str) -> None:
        super().change(number, other, how)
        self.was = None

    @precondition(lambda self: self.plan is not None)
    @rule(
        kind=st.sampled_from(WAYS),
        at=st.integers(0, 40),
        across=st.booleans(),
        trouble=st.sampled_from(["none", "none", "kill", "twice", "full", "read-only", "script"]),
    )
    def apply(self, kind: str, at: int, across: bool, trouble: str) -> None:
        super().apply(kind, at, across, trouble)
        if trouble in ("script", "twice"):  # This log does not name what has been done.
            self.was = None

    def act_and_kill(self, moment: float, act: Callable[[], object]) -> None:
        """Act in a process of its own, and kill it after that many seconds."""
        with warnings.catch_warnings():
            # A child of a process with threads may wait for ever: this one is killed.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if not child:
            try:
                act()
            finally:
                os._exit(0)
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    @precondition(lambda self: self.plan is not None and hasattr(os, "fork"))
    @rule(kind=st.sampled_from(WAYS), across=st.booleans(), moment=st.integers(0, 60))
    def apply_and_kill(self, kind: str, across: bool, moment: int) -> None:
        assert self.plan is not None
        aside = self.device / "aside" if across else self.aside
        plan, way = self.plan, DropMethod(kind, str(aside) if kind == "move" else None)
        with self.checked():
            self.act_and_kill(moment / 1000, lambda: carry.apply(plan, way, self.log, dry=False))

    @precondition(lambda _: hasattr(os, "fork"))
    @rule(moment=st.integers(0, 60))
    def undo_and_kill(self, moment: int) -> None:
        # Whether a kill left a log depends on the clock, so the choice of rules must not ask.
        if not self.log.exists():
            return
        with self.checked():
            self.act_and_kill(moment / 1000, lambda: carry.undo(self.log, dry=False))

    @rule(at=st.integers(0, 60), killed=st.booleans())
    def undo(self, at: int, killed: bool) -> None:
        super().undo(at, killed)
        if self.log.exists() and not killed and self.was is not None:
            assert self.state() == self.was, "undo has not given all of it back"


class ManyContents(Contents):
    """The same, for long."""


TestContents = Contents.TestCase
TestContents.settings = in_steps(6, 10)
TestManyContents = pytest.mark.long(ManyContents.TestCase)
TestManyContents.settings = in_steps(500, 25)
