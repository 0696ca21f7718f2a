"""The script for paperless-ngx, as its page has it, with the environment that paperless gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/how-to/automate.md"


def test_the_script_says_what_a_document_is_like(tmp_path: Path) -> None:
    found = re.search(r"```sh\n(#!/bin/sh\n.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    script = tmp_path / "after.sh"
    script.write_text(found[1])
    script.chmod(0o700)
    text = " ".join(f"word{number}" for number in range(200))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    told = []
    for number, content in enumerate((text, text.replace("word7 ", "changed "), "\0\1\2")):
        file = tmp_path / f"{number}.txt"
        file.write_text(content)
        given = {
            "DOCUMENT_ID": str(number),
            "DOCUMENT_SOURCE_PATH": str(file),
            "DOCUMENT_ARCHIVE_PATH": "",
            "ILK_STORE": str(tmp_path / "documents.ilk"),
        }
        done = subprocess.run(
            [script], env={**os.environ, "PATH": path, **given}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
    assert "near" not in told[0]
    assert told[1].startswith("document 1:\n")
    assert "near" in told[1]
    assert "0.txt" in told[1]
    # A document that cannot be read is in paperless all the same.
    assert told[2] == "document 2:\nit was not compared, but it is in paperless\n"
