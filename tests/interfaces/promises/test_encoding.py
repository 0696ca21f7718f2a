"""Files of CSV in another encoding than UTF-8."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ilk
from ilk.base.errors import OptionError
from tests.support.command_line import Run

ONE, TWO = "\u201ecaf\u00e9 \u2026\u201c", '"\u00fcber\nzwei, Zeilen"'
TEXT = f"id,text\n1,{ONE}\n2,{TWO}\n3,{ONE}\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("codec", ["", ".gz"])
def test_the_encoding_of_csv_is_named(encoding: str, codec: str, run: Run) -> None:
    content = TEXT.encode(encoding)
    Path(f"in.csv{codec}").write_bytes(gzip.compress(content) if codec else content)
    words = (f"in.csv{codec}", "--extract", f"encoding={encoding}")
    code, out, err = run("scan", *words)
    assert (code, err) == (0, "")
    assert f"in.csv{codec}#2" in out
    assert run("dedup", *words, "-o", "out.csv")[0] == 0
    kept = TEXT.rpartition("3,")[0]
    assert Path("out.csv").read_bytes().decode("utf-8-sig") == kept
    assert run("dedup", *words, "--plan", "plan")[0] == 0
    assert run("apply", "plan", "-o", "again.csv")[0] == 0
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


def test_large_files_are_recoded_piece_by_piece() -> None:
    rows = [f"{n},\u00e9{n} " + "\u201etext\u201c " * 200 for n in range(9000)]
    Path("in.csv").write_bytes(("id,text\n" + "\n".join(rows)).encode("cp1252"))
    found = ilk.deduplicate("in.csv", encoding="cp1252", exact=True)
    assert found.report["kept"] == 9000
    assert str(found.rows.texts([8999])[0]) == rows[8999].partition(",")[2]


def test_a_wrong_encoding_is_refused_and_a_missing_one_advised(run: Run) -> None:
    Path("in.csv").write_bytes(TEXT.encode("cp1252"))
    _, _, err = run("scan", "in.csv")
    assert "--extract encoding=cp1252" in err
    for wrong in ("no-such", "base64", "rot13"):
        code, _, err = run("scan", "in.csv", "--extract", f"encoding={wrong}")
        assert code == 2
        assert f"encoding is {wrong!r}" in err
    with pytest.raises(OptionError):
        ilk.deduplicate("in.csv", encoding="hex")
