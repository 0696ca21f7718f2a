"""The formats of archives: WARC and ARC."""

from __future__ import annotations

import re
from contextlib import closing
from typing import NamedTuple

from ilk_web.warc import heads
from ilk_web.warc.frames import ArchivePath, Frames


class Form(NamedTuple):
    """A format of archives.

    name: its name for people.
    begin: how a record begins after the end of a line.
    ends: what ends the head of a record.
    trailers: what follows every record, by the standard and in some programs.
    """

    name: str
    begin: re.Pattern[bytes]
    ends: tuple[bytes, ...]
    trailers: tuple[bytes, ...]


_BLANK_LINES = (b"\r\n\r\n", b"\n\n")

WARC = Form(
    "WARC", re.compile(rb"(?<=\n)WARC/\d\.\d+[ \t]*\r?\n"), ends=_BLANK_LINES, trailers=_BLANK_LINES
)
ARC = Form(
    "ARC",
    re.compile(
        rb"(?<=\n)[A-Za-z][A-Za-z0-9+.-]*:[^\n]{0,8000} "
        rb"[0-9A-Fa-f.:]+ \d{14} \S{1,200}+(?: \S{1,200}+){0,5} \d{1,18}\r?\n"
    ),
    ends=(b"\n",),
    trailers=(b"\n", b"\r\n"),
)


class HeadSearch(NamedTuple):
    """Whether a head was found, and where it begins, or else where to continue."""

    found: bool
    at: int


def find_head(form: Form, window: bytes, start: int) -> HeadSearch:
    """Find the first complete, valid head that begins at ``start`` or later.

    If none does, the place is where to continue when the window is longer. The time is linear: a
    head ends before another begins.
    """
    at = start
    match = form.begin.search(window, at)
    while match:
        following = form.begin.search(window, match.end())
        whole = _is_head_unless_cut_off(
            form, window, match, following.start() if following else len(window)
        )
        if whole or (
            whole is None and not following and len(window) < match.start() + heads.LONGEST
        ):
            return HeadSearch(bool(whole), match.start())
        at, match = match.end(), following
    return HeadSearch(found=False, at=max(at, len(window) - heads.LONGEST))


def begins_with_head_unless_cut_off(form: Form, content: bytes) -> bool | None:
    """Return whether a complete, valid head is at the beginning; None if it does not end."""
    window = b"\n" + content
    match = form.begin.match(window, 1)
    return match is not None and _is_head_unless_cut_off(form, window, match, len(window))


def _is_head_unless_cut_off(
    form: Form, window: bytes, head_start: re.Match[bytes], last: int
) -> bool | None:
    """Return whether a valid head begins here; None if it does not end."""
    first, last = head_start.start(), min(last, head_start.start() + heads.LONGEST)
    # The end of the first line may be part of the blank line that ends the head.
    stops = [window.find(end, head_start.end() - 2, last) for end in form.ends]
    ends_there = [stop for stop in stops if stop >= 0]
    if not ends_there:
        return None
    return form is ARC or heads.has_content_length(window[first : min(ends_there)])


def recognise_form(path: ArchivePath) -> Form | None:
    """Return the form of a file, by its first bytes; None if it is not an archive, or damaged."""
    with closing(Frames(path)) as frames:
        try:
            head = b"\n" + frames.read(heads.LONGEST)
        except OSError:
            return None
    return next((form for form in (WARC, ARC) if form.begin.match(head, 1)), None)
