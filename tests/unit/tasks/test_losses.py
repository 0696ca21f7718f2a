"""What a plan must never lose: a file goes only if its bytes stay, or a person has named why."""

from __future__ import annotations

import errno
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk import write
from ilk.base import portable
from ilk.base.errors import OptionError, OutputError, PlanError
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import carry, files
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from tests.support import samples
from tests.support.demands import package

TEXT = " ".join(f"word{n}" for n in range(100))
OTHER = " ".join(f"thing{n}" for n in range(100))


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, content: bytes | str) -> None:
    path = Path("in", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def zipped(**members: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("_", ".")), content)
    return out.getvalue()


def mail(**attached: bytes) -> bytes:
    return bytes(samples.message(TEXT.split(), title="The same", **attached))


def planned(
    *paths: str,
    drop: str = "",
    edit: Callable[[list[Any]], object] = lambda _: None,
    **options: Any,
) -> plans.FilePlan:
    result = ilk.find([Path(path) for path in paths or ("in",)], **options)
    rows = list(result.files(drop=drop.split()).lines())
    edit(rows)
    with Path("plan.jsonl").open("wb") as out:
        write.write_jsonl(iter(rows), out)
    plan = plans.read_plan("plan.jsonl")
    files = result.files(drop=drop.split())
    if edit.__name__ == "<lambda>":
        dropped = {os.path.abspath(name) for name in files.size_by_dropped_file()}
        assert {going.path for going in plan.dropped} == dropped
    return plan


def gone(*paths: str, **options: Any) -> list[str]:
    """Return the names of the files that a plan drops, below ``in``."""
    top = Path("in").absolute()
    return sorted(
        str(Path(each.path).relative_to(top)) for each in planned(*paths, **options).dropped
    )


def why(name: str) -> str:
    """Return why a plan keeps a file."""
    rows = [json.loads(line) for line in Path("plan.jsonl").read_text().splitlines()]
    every = [one for row in rows for one in (row, *row.get("members", ()))]
    named = (one for one in every if one.get("source", one.get("file")) == f"in/{name}")
    return str(next(one["why"] for one in named if "why" in one))


def test_a_mail_with_an_attachment_that_is_nowhere_else_stays() -> None:
    put("a.eml", mail())
    put("b.eml", mail(only__here_txt=OTHER.encode()))
    assert gone() == []
    assert why("b.eml").startswith("also holds in/b.eml/only")
    put("only-here.txt", OTHER)
    assert gone() == []
    assert gone(drop="exact") == ["b.eml"]


def test_a_mail_whose_attachment_is_no_text_stays_until_that_is_elsewhere() -> None:
    put("a.eml", mail())
    put("b.eml", mail(photo_jpg=b"\xff\xd8\xff\0" * 50))
    assert gone() == []
    put("holiday.jpg", b"\xff\xd8\xff\0" * 50)
    assert gone() == []
    assert gone(drop="exact") == ["b.eml"]


def test_equal_archives_and_mailboxes_are_identical_and_listed_once() -> None:
    one = zipped(a_txt=TEXT, b_bin=b"\0\1\2" * 99)
    box = b"".join(
        b"From a@b.c Fri Jan  2 03:04:05 2026\n" + mail(n_txt=f"{n} {TEXT}".encode()) + b"\n\n"
        for n in range(2)
    )
    for name in ("x", "y"):
        put(f"{name}.zip", one)
        put(f"{name}.mbox", box)
    found = ilk.find("in")
    names = found.documents["source"].to_pylist()
    assert not any(name.startswith(("in/y.zip!", "in/y.mbox#")) for name in names)
    assert {"in/x.zip", "in/y.zip", "in/x.mbox", "in/y.mbox"} <= set(names)
    assert gone() == ["y.mbox", "y.zip"]


def test_equal_mails_are_listed_once_with_their_attachments() -> None:
    one = mail(note_txt=OTHER.encode(), photo_jpg=b"\xff\xd8\xff\0" * 50)
    for name in ("a.eml", "b.eml"):
        put(name, one)
    names = ilk.find("in").documents["source"].to_pylist()
    assert sorted(names) == ["in/a.eml", "in/a.eml/note.txt", "in/b.eml"]
    assert gone() == ["b.eml"]


def test_an_archive_goes_only_if_all_of_it_stands_elsewhere() -> None:
    put("a.txt", TEXT)
    put("b.zip", zipped(a_txt=TEXT))
    put("c.zip", zipped(a_txt=TEXT, d_txt=OTHER))
    put("e.zip", zipped(a_txt=TEXT, inner_zip=zipped(a_txt=TEXT, photo_jpg=b"\xff\xd8\0")))
    assert gone() == ["b.zip"]
    assert why("c.zip") == "also holds in/c.zip!/d.txt"
    assert why("e.zip").startswith("also holds in/e.zip!/inner.zip!/photo.jpg")


def test_a_member_that_cannot_be_read_holds_its_archive_back() -> None:
    put("a.txt", TEXT)
    inner = zipped(a_txt=TEXT)
    put("b.zip", zipped(a_txt=TEXT, inner_zip=inner[:40] + b"?" * 20 + inner[60:]))
    assert gone() == []


def test_keepers_are_files_on_disk() -> None:
    put("Archive/old.zip", zipped(report_txt=TEXT))
    put("Work/report.txt", TEXT)
    put("Work/report (1).txt", TEXT)
    assert gone() == ["Archive/old.zip", "Work/report (1).txt"]


@pytest.mark.parametrize(
    ("original", "copies"),
    [
        ("minutes.txt", ["minutes-copy.txt", "minutes (1).txt", "minutes - Copy.txt"]),
        ("Bericht.txt", ["Bericht Kopie.txt", "Bericht 2023-01-02.txt", "Bericht.txt.bak"]),
        ("z/report.txt", ["a/b/report.txt", "backup/report.txt", "Copy of report.txt"]),
    ],
)
def test_the_original_stays_and_not_its_copies(original: str, copies: list[str]) -> None:
    for name in (original, *copies):
        put(name, TEXT)
        os.utime(Path("in", name), (10**9, 10**9))
    assert gone() == sorted(copies)


def test_the_older_of_two_in_one_folder_stays() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    os.utime("in/b.txt", (10**9, 10**9))
    assert gone() == ["a.txt"]


def test_what_is_not_text_must_be_equal_too() -> None:
    package("pypdfium2")
    package("python_calamine")
    for name, other in (("a", b"one"), ("b", b"another")):
        put(f"{name}.docx", with_part(samples.docx(), "word/media/image1.png", other))
    assert gone() == []
    assert "pictures" in why("b.docx")
    put("c.docx", with_part(samples.docx(), "word/media/image1.png", b"one", level=9))
    assert gone() == []
    assert gone(drop="exact") == ["c.docx"]


def with_part(document: bytes, name: str, content: bytes, level: int = 1) -> bytes:
    out = io.BytesIO(document)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        part = zipfile.ZipInfo(name, (1990 + level, 1, 1, 0, 0, 0))
        archive.writestr(part, content, zipfile.ZIP_DEFLATED, level)
    return out.getvalue()


def test_the_pdf_of_a_document_goes_only_if_it_is_asked_for() -> None:
    put("a.txt", "\n".join(samples.SENTENCES))
    put("b.docx", samples.docx(samples.SENTENCES))
    assert gone() == []
    assert "--drop exact,formats lets it go" in why("b.docx")
    assert gone(drop="exact") == gone(drop="formats") == []
    assert gone(drop="exact,formats") == ["b.docx"]


def test_a_link_is_not_followed_to_a_folder_of_others() -> None:
    put("a.txt", TEXT)
    Path("shared").mkdir()
    Path("shared/team.txt").write_text(TEXT)
    Path("in/link").symlink_to("../shared")
    assert gone() == []
    plan = planned("in", links=True)
    assert [Path(each.path).name for each in plan.dropped] == ["team.txt"]
    left = carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False).left
    assert [reason for _, reason in left] == ["is outside of what was scanned"]
    assert Path("shared/team.txt").exists()


def test_files_moved_aside_are_not_scanned_again(tmp_path: Path) -> None:
    put("letters/report.txt", TEXT)
    put("letters/report2.txt", TEXT)
    os.chdir("in")
    plan = ilk.find(".")
    for _ in range(2):
        rows = ilk.find(".").files().lines()
        with Path("p.jsonl").open("wb") as out:
            write.write_jsonl(rows, out)
        way, log = DropMethod("move", "aside"), Path("p.jsonl.log.jsonl")
        carry.apply(plans.read_plan("p.jsonl"), way, log, dry=False)
        log.rename(tmp_path / "log")
    assert Path("letters/report.txt").exists()
    assert Path("aside/letters/report2.txt").exists()
    assert Path("aside", MOVED_HERE).exists()
    del plan


def test_empty_files_are_in_no_plan_unless_they_are_asked_for() -> None:
    for name in ("pkg/a/__init__.py", "pkg/b/__init__.py"):
        put(name, "")
    assert gone() == []
    fates = ilk.find("in").files().file_fates()
    assert {file: fate.releasing_words for file, fate in fates.items()} == {
        "in/pkg/a/__init__.py": (),  # The keeper, which never goes, is not counted either.
        "in/pkg/b/__init__.py": ("empty",),
    }
    assert gone(drop="empty") == ["pkg/b/__init__.py"]


def test_a_hard_link_takes_no_room_and_stays() -> None:
    put("a.txt", TEXT)
    os.link("in/a.txt", "in/b.txt")
    assert gone() == []
    assert "hard link" in why("b.txt")


def test_a_plan_that_would_lose_something_is_refused() -> None:
    put("a.eml", mail())
    put("b.eml", mail(only__here_txt=OTHER.encode()))

    def drop(rows: list[Any]) -> None:
        rows[1]["members"][1]["action"] = "drop"

    with pytest.raises(PlanError, match="drops in/b.eml, but it also holds in/b.eml/only"):
        planned(edit=drop)


def test_files_are_not_moved_to_where_documents_are() -> None:
    put("a.txt", TEXT)
    put("sub/b.txt", TEXT)
    plan = planned()
    for folder in ("in", ".", "in/sub"):
        with pytest.raises(OptionError, match="holds files that were scanned"):
            carry.apply(plan, DropMethod("move", folder), Path("log"), dry=False)


def test_a_preference_matches_as_exclude_does_and_is_named_if_it_matches_nothing() -> None:
    put("a.txt", TEXT)
    put("masters/z.txt", TEXT)
    for path in (".", os.path.abspath("in"), "in"):
        options: dict[str, Any] = {"keep": "prefer:masters/*"}
        top = path if path != "." else "in/."
        found = ilk.find(top, **options)
        keepers = set(found.to_arrow()["keeper"].to_pylist())
        assert {os.path.basename(name) for name in keepers} == {"z.txt"}
    found = ilk.find("in", keep="prefer:Wrok/*")
    assert "no document matches --keep prefer:Wrok/*" in found.report["not_compared"]


def test_a_file_that_changed_since_it_was_read_is_left_out_of_the_plan() -> None:
    put("a.txt", TEXT)
    put("b.zip", zipped(a_txt=TEXT))
    result = ilk.find("in")
    put("b.zip", zipped(a_txt=TEXT, more_txt=OTHER))
    os.utime("in/b.zip", (10**9, 10**9))
    assert list(result.files().size_by_dropped_file()) == []


def test_equal_archives_both_go_where_all_of_them_stands_elsewhere() -> None:
    put("a.txt", TEXT)
    for name in ("backup.zip", "backup (1).zip"):
        put(name, zipped(a_txt=TEXT))
    assert gone() == ["backup (1).zip", "backup.zip"]


def lines_of(path: str) -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_a_script_leaves_alone_what_has_become_a_link_or_is_in_another_folder() -> None:
    for name in ("a/x.txt", "b/x.txt", "c/x.txt"):
        put(name, TEXT)
    script = b"\n".join(
        carry.script_lines_for_unchanged_files(planned(), DropMethod("move", "aside"))
    )
    kept = [Path(name) for name in ("in/a/x.txt", "in/b/x.txt", "in/c/x.txt")]
    keeper = next(path for path in kept if str(path) in lines_of("plan.jsonl")[1]["keeper"])
    others = [path for path in kept if path != keeper]
    keeper.unlink()
    keeper.symlink_to(others[0].absolute())  # The last copies are where the keeper points.
    Path("far").mkdir()
    others[1].rename("far/x.txt")
    others[1].parent.rmdir()
    others[1].parent.symlink_to("../far")
    done = subprocess.run(["sh"], input=script, capture_output=True, check=False)
    assert done.stderr.count(b"left alone") == 2
    assert others[0].read_text() == Path("far/x.txt").read_text() == TEXT


def test_undo_leaves_the_mark_of_files_that_another_plan_has_moved() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    carry.apply(planned(), DropMethod("move", "aside"), Path("log1"), dry=False)
    put("c.txt", TEXT)
    carry.apply(planned(), DropMethod("move", "aside"), Path("log2"), dry=False)
    assert carry.undo(Path("log1"), dry=False).act_count == 1
    assert Path("aside", MOVED_HERE).exists()
    assert carry.undo(Path("log2"), dry=False).act_count == 1
    assert not Path("aside", MOVED_HERE).exists()


@pytest.mark.parametrize("damage", ["edited", "gone"])
def test_a_log_that_was_changed_says_so_and_puts_back_what_it_can_prove(damage: str) -> None:
    for name in "abc":
        put(f"{name}.txt", TEXT)
    Path("mine.txt").write_text(TEXT)
    carry.apply(planned(), DropMethod("move", "aside"), Path("log"), dry=False)
    rows = Path("log").read_bytes().splitlines(keepends=True)
    at = next(at for at, row in enumerate(rows) if b'"begun"' in row)
    mine = os.path.abspath("mine.txt").encode()
    rows[at] = rows[at].replace(b"in/b.txt", mine) if damage == "edited" else b""
    Path("log").write_bytes(b"".join(rows))
    done = carry.undo(Path("log"), dry=False)
    assert [Path(to).name for _, to in done.acts] == ["c.txt"]
    assert [reason for _, reason in done.left] == [
        "1 of its lines are gone or changed; what they say stays as it is"
    ]
    assert not Path("in/b.txt").exists()
    assert Path("mine.txt").read_text() == TEXT


def test_a_log_that_was_cut_says_so() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    carry.apply(planned(), DropMethod("move", "aside"), Path("log"), dry=False)
    content = Path("log").read_bytes()
    Path("log").write_bytes(content[: content.rindex(b'{"line"') + 9])
    assert "ends early" in carry.undo(Path("log"), dry=False).notes[0]
    assert Path("in/b.txt").exists()


def test_a_plan_that_someone_else_has_changed_is_refused() -> None:
    put("a.eml", mail())
    put("b.eml", mail(only__here_txt=OTHER.encode()))

    def wider(rows: list[Any]) -> None:
        rows[0]["plan"]["roots"] = ["/"]

    def fewer(rows: list[Any]) -> None:
        rows[1]["members"][1]["action"] = "drop"
        rows[:] = [row for row in rows if row.get("file") != "in/b.eml"]

    with pytest.raises(PlanError, match="with the folders, was changed"):
        planned(edit=wider)
    with pytest.raises(PlanError, match=r"b\.eml holds 2 documents, but the plan lists 1"):
        planned(edit=fewer)


def test_two_runs_do_not_clean_the_same_folders_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    put("sub/a.txt", TEXT)
    put("sub/b.txt", TEXT)
    inner, plan = planned("in/sub"), planned()
    move, said = files.move, list[str]()

    def meanwhile(*places: Any, **how: Any) -> files.Remarks:
        for other in (plan, inner):
            with pytest.raises(OutputError) as refused:
                carry.apply(other, DropMethod("move", "aside2"), Path("log2"), dry=False)
            said.append(str(refused.value))
        return move(*places, **how)

    monkeypatch.setattr(files, "move", meanwhile)
    assert carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False).act_count == 1
    assert all("another process is cleaning" in one for one in said)
    assert len(said) == 2


def test_what_was_scanned_twice_is_cleaned_once() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    Path("link").symlink_to("in")
    plan = planned("in", "link")
    assert plan.roots == (os.path.abspath("in"),)
    twice = plan._replace(roots=plan.roots * 2)  # As older plans and logs have it.
    assert carry.apply(twice, DropMethod("move", "aside"), Path("log"), dry=False).act_count == 1
    assert carry.undo(Path("log"), dry=False).act_count == 1


def test_files_given_by_name_need_no_handle_each(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"in/{number}.txt" for number in range(50)]
    for name in names:
        put(Path(name).name, TEXT)
    locked, lock = list[int](), portable.lock_file

    def counted(handle: int, **how: bool) -> None:
        locked.append(handle)
        lock(handle, **how)

    monkeypatch.setattr(portable, "lock_file", counted)
    plan = planned(*names)
    assert carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False).act_count == 49
    assert len(locked) == len(Path("in").absolute().parents) + 2  # And the folder, and the log.


def test_folders_inside_of_each_other_are_locked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/c/d/e.txt", "a-b/e.txt"):
        put(name, TEXT)
    roots = [os.path.abspath(f"in/{name}") for name in ("a/c/d", "a-b", "a", "a/c", "a")]
    plan = planned()._replace(roots=tuple(roots), dropped=())
    opened, open_ = list[str](), os.open

    def noted(path: str, flags: int, mode: int = 0o777) -> int:
        if Path(path).name != "log":
            opened.append(path)
        return open_(path, flags, mode)

    monkeypatch.setattr(os, "open", noted)
    carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False)
    above = [str(folder) for folder in Path(roots[2]).parents]
    assert sorted(map(os.path.normpath, opened)) == sorted([roots[1], roots[2], *above])


def test_too_many_open_files_are_not_taken_for_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    plan = planned()

    def refused(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(files, "digest_file_keeping_access_time", refused)
        left = carry.apply(plan, DropMethod("move", "aside"), Path("log")).left
    assert [reason for _, reason in left] == [os.strerror(errno.EMFILE)]
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(OutputError, match="ulimit"):
        carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False)


def test_one_log_serves_plans_of_several_folders() -> None:
    for name in ("one/a", "one/b", "two/a", "two/b"):
        put(f"{name}.txt", f"{name[:3]} {TEXT}")
    for name in ("in/one", "in/two"):
        done = carry.apply(planned(name), DropMethod("move", "aside"), Path("log"), dry=False)
        assert (done.act_count, done.left) == (1, [])
    shown, done = carry.undo(Path("log")), carry.undo(Path("log"), dry=False)
    assert (shown.acts, shown.left) == (done.acts, done.left)
    assert (done.act_count, done.left) == (2, [])


def test_a_dry_undo_shows_what_would_be_left_alone() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    carry.apply(planned(), DropMethod("move", "aside"), Path("log"), dry=False)
    Path("in").rename("far")
    Path("elsewhere").mkdir()
    Path("in").symlink_to("elsewhere")
    assert [why for _, why in carry.undo(Path("log")).left] == ["was outside of what was scanned"]


def test_a_mark_that_a_script_has_made_is_removed_with_the_last_file() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    Path("aside").mkdir()
    Path("aside", MOVED_HERE).touch()
    carry.apply(planned(), DropMethod("move", "aside"), Path("log"), dry=False)
    assert carry.undo(Path("log"), dry=False).act_count == 1
    assert list(Path("aside").iterdir()) == []


def test_a_run_that_was_refused_leaves_no_log() -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    plan, way = planned(), DropMethod("move", "aside")
    handle = os.open("in", os.O_RDONLY)
    portable.lock_file(handle)
    with pytest.raises(OutputError, match="another process"):
        carry.apply(plan, way, Path("log"), dry=False)
    os.close(handle)
    assert not Path("log").exists()
    assert carry.apply(plan, way, Path("log"), dry=False).notes == []


@pytest.mark.parametrize("size", [0, 1, 14, 40])
def test_a_kill_during_the_first_line_of_a_log_stops_no_later_run(size: int) -> None:
    put("a.txt", TEXT)
    put("b.txt", TEXT)
    plan, way = planned(), DropMethod("move", "aside")
    carry.apply(plan, way, Path("whole"), dry=False)
    carry.undo(Path("whole"), dry=False)
    Path("log").write_bytes(Path("whole").read_bytes()[:size])
    assert carry.apply(plan, way, Path("log"), dry=False).act_count == 1
    assert carry.undo(Path("log"), dry=False).left == []
    Path("log").write_bytes(b"notes of mine"[: size + 1])
    with pytest.raises(PlanError, match="is not a log"):
        carry.apply(plan, way, Path("log"), dry=False)


def test_each_line_of_a_log_may_be_changed_and_other_files_are_put_back() -> None:
    for name in "abc":
        put(f"{name}.txt", TEXT)
    plan, way = planned(), DropMethod("move", "aside")
    carry.apply(plan, way, Path("log"), dry=False)
    rows = Path("log").read_bytes().splitlines(keepends=True)
    for at, row in enumerate(rows):
        changed = [*rows[:at], row.replace(b'"line"', b'"lime"'), *rows[at + 1 :]]
        Path("log").write_bytes(b"".join(changed))
        assert carry.undo(Path("log"), dry=False).act_count >= 1
        Path("log").unlink()
        Path("other").unlink(missing_ok=True)
        for name in "bc":
            put(f"{name}.txt", TEXT)
        shutil.rmtree("aside", ignore_errors=True)
        carry.apply(plan, way, Path("other"), dry=False)


def test_a_zip_goes_by_proof_only_if_every_byte_of_it_is_accounted_for() -> None:
    put("a.txt", TEXT)
    put("b.txt", OTHER)
    whole = zipped(a_txt=TEXT, b_txt=OTHER)
    put("whole.zip", whole)
    put("behind.zip", whole + b"and more")
    put("before.zip", b"more first" + whole)
    remark = io.BytesIO(whole)
    with zipfile.ZipFile(remark, "a") as archive:
        archive.comment = b"the only place of this remark"
    put("remark.zip", remark.getvalue())
    assert gone() == ["whole.zip"]
    assert gone(drop="exact") == ["whole.zip"]


def test_what_follows_a_compressed_stream_keeps_its_file() -> None:
    put("a.txt", TEXT)
    put("plain.txt.gz", gzip.compress(TEXT.encode(), mtime=0))
    put("padded.txt.gz", gzip.compress(TEXT.encode(), mtime=0) + bytes(8))
    put("plain.txt.xz", lzma.compress(TEXT.encode()))
    put("padded.txt.xz", lzma.compress(TEXT.encode()) + bytes(8))
    assert gone() == ["plain.txt.gz", "plain.txt.xz"]
    assert "bytes follow what is compressed in it" in why("padded.txt.gz")


def test_a_tar_goes_by_proof_but_not_with_a_link_or_hidden_bytes() -> None:
    put("a.txt", TEXT)
    put("whole.tar", samples.tarred({"a.txt": TEXT.encode()}))
    hidden = bytearray(samples.tarred({"a.txt": TEXT.encode()}))
    hidden[512 + len(TEXT) + 5] = 65  # In what fills the last block of the file.
    put("hidden.tar", bytes(hidden))
    for number, name in enumerate((b"a.txt\0hidden", b"n" * 5_000)):
        record = tarfile.TarInfo("././@LongLink")
        record.type, record.size = tarfile.GNUTYPE_LONGNAME, len(name)
        head = record.tobuf(tarfile.GNU_FORMAT) + name + bytes(-len(name) % 512)
        put(f"named{number}.tar", head + samples.tarred({"a.txt": TEXT.encode()}))
    assert gone() == ["whole.tar"]


def test_equal_copies_of_a_near_duplicate_go_and_one_of_them_stays() -> None:
    put("a.txt", TEXT)
    near = TEXT.replace("word50", "another")
    for name in ("b.txt", "c.txt", "d.txt"):
        put(name, near)
    assert len(gone()) == 2
    assert len(gone(drop="near")) == 3


def test_python_files_that_differ_in_indentation_or_case_are_never_exact_to_drop() -> None:
    code = "\n".join(f"if word{n}:\n    thing{n}()\nother{n}()" for n in range(30))
    put("a.py", code)
    put("b.py", code.replace("\nother", "\n    other"))
    put("c.py", code.upper())
    put("d.py", code.replace("\n", "  \r\n"))
    assert gone() == []
    assert gone(drop="exact") == ["d.py"]
    assert "letter case and indentation" in why("b.py")
    assert gone(drop="exact,near") == ["d.py"]


@pytest.mark.parametrize("header", ["From", "To", "Subject", "Date"])
def test_mails_of_equal_text_to_others_are_not_exact_to_drop(header: str) -> None:
    put("a.eml", mail())
    other = samples.message(TEXT.split(), title="The same")
    del other[header]
    other[header] = {"Date": "Fri, 09 Jan 2026 03:04:05 +0000"}.get(header, "b@example.org")
    put("b.eml", bytes(other))
    assert gone(drop="exact") == []
