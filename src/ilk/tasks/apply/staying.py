"""Which files may go: those whose whole content stays elsewhere.

A file holds parts: itself, the members of an archive, messages, attachments. A part is covered by
another one if their bytes are equal, or if it is a member of a cluster whose keeper it is like, and
what is in it besides its text (pictures, formulas, pages that were not read) is in the keeper too.
A file is covered by a file of equal bytes, or by files that cover all of its parts; and it may only
go while the files that cover it stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from ilk.arrow import verdicts

#: Verdicts against a keeper at which a part counts as covered, if a person says nothing else.
ACCEPTED = (verdicts.IDENTICAL, verdicts.EXACT, verdicts.NEAR)

#: Other verdicts, in words before a keeper.
_SAID = {
    verdicts.NUMBERS_ONLY: "only in numbers different from",
    verdicts.NOISY: "a noisy copy of",
    verdicts.CONNECTED: "only connected with",
}


class HeldPart(NamedTuple):
    """Something that a file holds.

    source, file: its name, and that of the file on disk.
    keeper: the keeper of its cluster, or the part itself if it is that; "" without a cluster.
    verdict: what it is to the keeper; "" without a cluster.
    left_out, left_digest: what it holds besides its text, and the digest of that; both "" if it is
        complete, and only the digest if the bytes are not known.
    form: the format that its text was read from.
    unread: why it has no text; "" if it has one.
    parted: whether a person has labelled it different from its keeper.
    """

    source: str
    file: str
    keeper: str = ""
    verdict: str = ""
    left_out: str = ""
    left_digest: str = ""
    form: str = ""
    unread: str = ""
    parted: bool = False


class Bytes(NamedTuple):
    """A file on disk as it was when it was read; the digest in hex, "" if it is not known."""

    size: int
    digest: str


class Fate(NamedTuple):
    """What covers a file.

    needs: the files that must stay, so that nothing in it is lost.
    covered: by part, the part that covers it, and the verdict.
    why: why it cannot go; "" if it can.
    """

    needs: tuple[str, ...]
    covered: dict[str, tuple[str, str]]
    why: str = ""


@dataclass
class Holdings:
    """Files and their parts.

    Attributes:
        parts: by name, everything that is in a file and is not a file of many itself.
        files: by name, the bytes of every file with a part in a cluster, or a copy.
        formats: whether a part may be covered by one of another format.
        accepted: the verdicts at which a part is covered.
    """

    parts: dict[str, HeldPart]
    files: dict[str, Bytes]
    formats: bool = True
    accepted: Collection[str] | None = None
    _of_file: dict[str, list[HeldPart]] = field(init=False, repr=False)
    _equal: dict[Bytes, list[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Group parts by their files, and files by their bytes."""
        self._of_file, self._equal = defaultdict(list), defaultdict(list)
        for part in self.parts.values():
            self._of_file[part.file].append(part)
        for name, known in self.files.items():
            if known.digest:
                self._equal[known].append(name)

    def equal(self, file: str) -> list[str]:
        """Return the files with the same bytes, itself among them, in their order."""
        known = self.files[file]
        return self._equal[known] if known.digest else [file]

    def held(self, file: str) -> list[HeldPart]:
        """Return the parts of a file, or those of its copy if they are listed there."""
        found = [self._of_file.get(one, []) for one in (file, *self.equal(file))]
        several = next((parts for parts in found if len(parts) > 1), None)
        inside = next((parts for parts in found if any(p.source != p.file for p in parts)), None)
        return several or inside or next(filter(None, found), [])

    def fate(self, file: str, stays: Callable[[str], bool]) -> Fate:
        """Return what covers a file, as long as the files for which ``stays`` is true stay."""
        same = [one for one in self.equal(file) if one != file and stays(one)]
        if same:
            return Fate((same[0],), {file: (same[0], verdicts.IDENTICAL)})
        needs, covered = dict[str, None](), dict[str, tuple[str, str]]()
        for part in self.held(file):
            keeper = self.parts.get(part.keeper)
            why = self._lacks(part, file, keeper, stays)
            if why or keeper is None:
                return Fate((), {}, why)
            needs[keeper.file] = None
            covered[part.source] = keeper.source, part.verdict
        return Fate(tuple(needs), covered, "" if covered else "nothing is known of what it holds")

    def _lacks(
        self, part: HeldPart, file: str, keeper: HeldPart | None, stays: Callable[[str], bool]
    ) -> str:
        """Return why a part is not covered; "" if it is."""
        own = part.source == file
        if keeper is None or not part.verdict:
            if own:
                unread = f"has a part that was not read ({part.unread})"
                return unread if part.unread else "is like no document that stays"
            reason = f", which was not read ({part.unread})" if part.unread else ""
            return f"also holds {part.source}{reason}"
        if part.keeper == part.source:
            return "is the keeper" if own else f"also holds {part.source}, a keeper"
        whose = "" if own else f"holds {part.source}, which "
        if keeper.file == file or not stays(keeper.file):
            return f"{whose}has no copy in a file that stays"
        if part.parted:
            return f"{whose}is labelled different from its keeper"
        if not self.files[keeper.file].digest:
            return f"{whose}has its copy in {keeper.file}, which has changed"
        if part.verdict == verdicts.IDENTICAL:
            return ""
        if self.accepted is not None and part.verdict not in self.accepted:
            return f"{whose}is {_SAID.get(part.verdict, part.verdict)} its keeper"
        if part.left_out and not (part.left_digest and part.left_digest == keeper.left_digest):
            return f"{whose}has {part.left_out} that may be nowhere else"
        if not self.formats and part.form != keeper.form:
            names = part.form or "plain text", keeper.form or "plain text"
            return f"{whose}is {names[0]}, its keeper {names[1]}; --also-drop formats lets it go"
        return ""


def decided(holdings: Holdings, held: Collection[str] = ()) -> dict[str, Fate]:
    """Return the fate of every file that has a part in a cluster: those without a reason may go.

    A file that holds a keeper stays, and one that is ``held``. Of files with equal bytes, the first
    stays, unless all that is in it stays elsewhere. The best keeper comes first in the holdings.
    """
    keepers = {part.file for part in holdings.parts.values() if part.keeper == part.source}
    keepers |= set(held)
    fates = dict[str, Fate]()
    for file in holdings.files:
        if file in fates:
            continue
        same = holdings.equal(file)
        if not keepers & set(same):
            fate = holdings.fate(same[0], keepers.__contains__)
            fates |= dict.fromkeys(same if not fate.why else same[:1], fate)
        staying = [one for one in same if one in keepers] or same[:1]
        for one in same:
            if one in keepers:
                fates[one] = Fate((), {}, "stays in any case" if one in held else "is the keeper")
            elif one not in fates:
                fates[one] = holdings.fate(one, staying[:1].__contains__)
    return fates
