"""A messy folder of 126 entries, as people have them: copies of every kind, and what only looks so.

``python -m tests.support.messy_folder FOLDER`` writes it, to compare it with other programs.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.support import samples

_THINGS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("an", "er", "is", "ol", "ut", "im", "ock")]


def text(seed: int, words: int = 120) -> str:
    """Return a text of its own kind."""
    drawn = random.Random(seed).choices(_THINGS, k=words)
    return "\n".join(" ".join(drawn[at : at + 12]) for at in range(0, words, 12)) + "\n"


def edited(seed: int) -> str:
    """Return the same text with a few words changed."""
    return text(seed)[:-30] + "and nothing more of it\n"


def lines(seed: int) -> list[str]:
    """Return the lines of a text."""
    return text(seed).splitlines()


def zipped(members: dict[str, bytes]) -> bytes:
    """Return an archive, always with the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    """Return a compressed archive, always with the same bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0)


def mail(seed: int, **attached: bytes) -> bytes:
    """Return a message."""
    made = samples.message(lines(seed), title=f"Letter {seed}", **attached)
    for number, part in enumerate(part for part in made.walk() if part.is_multipart()):
        part.set_boundary(f"=={number}==")
    return bytes(made)


def photo(seed: int, size: int = 20_000) -> bytes:
    """Return what is no text."""
    return b"\xff\xd8\xff\xe0" + random.Random(seed).randbytes(size)


def entries() -> Iterator[tuple[str, bytes]]:
    """Yield 122 files with their names; four links come on top."""
    for n in range(10):  # 40: letters with copies of every name, some of them edited.
        yield f"Letters/letter {n}.txt", text(n).encode()
        yield f"Letters/old/letter {n}.txt", text(n).encode()
        yield f"Letters/letter {n} (1).txt", text(n).encode()
        yield f"Letters/letter {n} new.txt", edited(n).encode()
    for n in range(5):  # 15: Word files, the same with another picture, and as text.
        word = samples.docx(lines(20 + n))
        yield f"Work/Report {2018 + n}.docx", word
        yield f"Work/Report {2018 + n} - Copy.docx", word
        yield f"Work/Report {2018 + n}.txt", text(20 + n).encode()
    for n in range(4):  # 8: spreadsheets and slides, twice.
        office = samples.xlsx(lines(30 + n)) if n % 2 else samples.pptx(lines(30 + n))
        yield f"Work/sheet {n}.{'xlsx' if n % 2 else 'pptx'}", office
        yield f"Backup/sheet {n}.{'xlsx' if n % 2 else 'pptx'}", office
    for n in range(10):  # 20: pictures, twice.
        yield f"Photos/IMG_{n}.jpg", photo(n)
        yield f"Photos/IMG_{n} copy.jpg", photo(n)
    for n in range(5):  # 10: mails; each second one has an attachment that is nowhere else.
        yield f"Mail/{n}.eml", mail(40 + n)
        more = {"note_txt": text(60 + n).encode()} if n % 2 else {}
        yield f"Mail/{n} again.eml", mail(40 + n, **more)
    box = b"".join(
        b"From writer@example.org Fri Jan  2 03:04:05 2026\n" + mail(70 + n) + b"\n\n"
        for n in range(3)
    )
    yield "Mail/archive.mbox", box
    yield "Mail/archive-2023-05-01.mbox", box
    yield "Mail/let.go", b"From writer@example.org Fri Jan  2 03:04:05 2026\n" + mail(80)
    yield "Mail/let2.go", b"From writer@example.org Fri Jan  2 03:04:05 2026\n" + mail(80)
    inner = zipped({"docs/Report 2018.docx": samples.docx(lines(20)), "a.txt": text(0).encode()})
    backup = zipped({"inner.zip": inner, "letter.txt": text(1).encode()})
    yield "Archive/backup 2022.zip", backup
    yield "Archive/backup 2022 (1).zip", backup
    yield "Archive/all elsewhere.zip", zipped({"x.txt": text(2).encode(), "p.jpg": photo(1)})
    yield "Archive/something more.zip", zipped({"x.txt": text(3).encode(), "q.jpg": photo(99)})
    yield "Archive/letters.tar.gz", tarred({"a.txt": text(4).encode(), "b.txt": text(5).encode()})
    yield "Archive/damaged.zip", backup[:-30]
    yield "Books/tale.epub", samples.epub(lines(90))
    yield "Books/tale (1).epub", samples.epub(lines(90))
    yield "Books/tale.txt.gz", gzip.compress(text(91).encode(), mtime=0)
    yield "Books/tale.txt", text(91).encode()
    for name in ("pkg/a/__init__.py", "pkg/b/__init__.py", "pkg/c/__init__.py", "pkg/.gitkeep"):
        yield name, b""
    yield ".git/config", text(0).encode()
    yield "odd/-rf", text(6).encode()
    yield "odd/new\nline", text(7).encode()
    yield 'odd/it\'s "q" $(x)', text(8).encode()
    yield "odd/dos.txt", ("\u250c" + "\u2500" * 20 + "\u2510\r\n").encode("cp437") * 9
    yield "odd/filled.txt", text(9).encode() + b"\x1a" * 90
    yield "odd/invoice 1.txt", text(95).encode() + b"invoice 4711\n"
    yield "odd/invoice 2.txt", text(95).encode() + b"invoice 4712\n"
    yield "odd/log.bin", bytes(range(256)) * 20
    yield "odd/latin.txt", (text(96) + "Gr\u00f6\u00dfe\n").encode("latin-1")
    yield "odd/utf16.txt", (text(96) + "Gr\u00f6\u00dfe\n").encode("utf-16")


def make(folder: Path) -> int:
    """Write the folder; return how many entries it has: files and links."""
    count = 0
    for name, content in entries():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(1_600_000_000_000_000_000 + count * 10**9,) * 2)
        count += 1
    far = folder.with_name(folder.name + "-of-others")
    far.mkdir()
    (far / "team.txt").write_bytes(text(0).encode())
    for link, target in (("link", far), ("loop", Path("..")), ("dangling", Path("nowhere"))):
        (folder / link).symlink_to(target)
        count += 1
    os.link(folder / "Letters/letter 0.txt", folder / "Letters/hard.txt")
    return count + 1


if __name__ == "__main__":
    sys.stdout.write(f"{make(Path(sys.argv[1]))} entries\n")
