"""Rich text by striprtf; its declarations are in the group ``info``.

Source: Rich Text Format 1.9.1, "Information Group".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Part, Text

_HEAD = 1 << 16
_SAID = re.compile(r"{\\(title|author) ([^{}\\]{1,1000})}")
_DAY = re.compile(r"{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    from striprtf.striprtf import rtf_to_text

    del limits  # The calling code enforces them.
    content = file.read().decode("latin-1")
    head = content[:_HEAD]
    declared: dict[str, Any] = {name: " ".join(said.split()) for name, said in _SAID.findall(head)}
    if day := _DAY.search(head):
        declared["date"] = f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}"
    text = rtf_to_text(content, errors="ignore")  # type: ignore[no-untyped-call]
    rest = Left()
    for mark, kind in (("\\pict", "pictures"), ("\\object", "embedded objects")):
        if mark in content:
            rest.add(kind, None)
    yield Text(text, declared, left=rest)
