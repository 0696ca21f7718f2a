"""Which files may go: those whose bytes stay, and those that a person lets go by a verdict.

Two levels are never mixed. *Proved*: an equal file stays; or the file is a complete container, and
the bytes of every member stand elsewhere. *Judged*: everything that ilk reads in the file is like
something that stays, and the person has named the verdicts at which that is enough (``--drop``).

A file holds parts: itself, the members of an archive, messages, attachments. Equal files are one
group: one of them stays, unless what they hold stands elsewhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.read.formats.complete import HeldContent
from ilk.read.formats.parts import EXACT_KINDS, UNREAD
from ilk.write.gains import FORMATS, PHRASES

#: All words of ``drop``, in the order in which they are listed.
DROPS = tuple(PHRASES)


def check_drop_words(words: str | Iterable[str]) -> tuple[str, ...]:
    """Return the words of ``drop``, once each and in their order.

    Args:
        words: one or several, each perhaps with others after commas.

    Raises:
        OptionError: one is unknown.
    """
    drop_words: list[str] = []
    for some in [words] if isinstance(words, str) else words:
        if not isinstance(some, str):
            raise OptionError(f"drop is {some!r:.60}; it must be some of {', '.join(DROPS)}.")
        drop_words += (word.strip() for word in some.split(","))
    for word in drop_words:
        if word not in (*DROPS, verdicts.IDENTICAL):  # Files whose bytes stay may always go.
            raise OptionError(f"drop is {word!r}; it must be some of {', '.join(DROPS)}.")
    return tuple(word for word in DROPS if word in drop_words)


#: Words of ``DROPS``, as ``check_drop_words`` returns them.
CheckedDropWords: TypeAlias = Collection[str]


class SizedDigest(NamedTuple):
    """Some bytes as they were read; the digest in hex, "" if it is not known."""

    size: int
    digest: str


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
    content: its own bytes, if it is not the file itself.
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
    content: SizedDigest = SizedDigest(0, "")


class Fate(NamedTuple):
    """What covers a file.

    needs: the files that must stay, so that nothing in it is lost.
    covered: by part, the part that covers it, and the verdict.
    why: why it stays; "" if it goes.
    releasing_words: those of ``drop`` that let it go; empty if it goes by proof, or if none does.
    """

    needs: tuple[str, ...] = ()
    covered: Mapping[str, tuple[str, str]] = {}
    why: str = ""
    releasing_words: tuple[str, ...] = ()


#: Why files stay, whatever is asked for.
IS_KEEPER, IS_HELD = "is the keeper", "stays in any case"
IS_LINK = "is a hard link to its keeper, and takes no room"

#: A message in a mailbox, by its name.
_MESSAGE = re.compile(r"#\d+(?:/|$)")

#: Whether a file stays.
Stays = Callable[[str], bool]


class StayingPlace(NamedTuple):
    """The name of what has some bytes, and the file that it is in and that stays."""

    name: str
    file: str


@dataclass
class Holdings:
    """Files and their parts.

    Attributes:
        parts: by name, everything that is in a file and is not a file of many itself.
        files: by name, the bytes of every file with a part in a cluster, or a copy; the best keeper
            first.
        contents: by name, all contents of a container that is complete.
        incomplete: by name, why it is not known that a container is complete.
    """

    parts: dict[str, HeldPart]
    files: dict[str, SizedDigest]
    contents: dict[str, tuple[HeldContent, ...]] = field(default_factory=dict)
    incomplete: dict[str, str] = field(default_factory=dict)
    _of_file: dict[str, list[HeldPart]] = field(init=False, repr=False)
    _equal: dict[SizedDigest, list[str]] = field(init=False, repr=False)
    _places: dict[SizedDigest, list[HeldPart]] = field(init=False, repr=False)
    _of_copies: dict[SizedDigest, list[HeldPart]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Group parts by their files, and files and members of archives by their bytes."""
        self._of_file, self._equal = defaultdict(list), defaultdict(list)
        self._places, self._of_copies = defaultdict(list), {}
        for part in self.parts.values():
            self._of_file[part.file].append(part)
            # A message in a mailbox, or an attachment, is written in another way than as its bytes.
            inside = part.source.startswith(f"{part.file}!/") and not _MESSAGE.search(part.source)
            if part.content.digest and (inside or part.source == part.file):
                self._places[part.content].append(part)
        for name, own in self.files.items():
            if own.digest:
                self._equal[own].append(name)

    def all_files_with_bytes_of(self, file: str) -> list[str]:
        """Return the files with the same bytes, itself among them, in their order."""
        own = self.files[file]
        return self._equal[own] if own.digest else [file]

    def most_detailed_parts_of_file_or_copy(self, file: str) -> list[HeldPart]:
        """Return the parts of a file, or those of its copy if they are listed there."""
        own = self._of_file.get(file, [])
        same = self.files[file]
        if same.digest and same not in self._of_copies:
            listed = [self._of_file.get(one, []) for one in self._equal[same]]
            self._of_copies[same] = _first_list_of_several_or_else_any(listed)
        return _first_list_of_several_or_else_any(
            [own, self._of_copies[same]] if same.digest else [own]
        )

    def holds_keeper(self, file: str) -> bool:
        """Return whether a file holds the keeper of a cluster."""
        return any(
            part.keeper == part.source for part in self.most_detailed_parts_of_file_or_copy(file)
        )

    def holds_more_than_itself(self, file: str) -> bool:
        """Return whether a file holds something besides itself."""
        return any(
            part.source != part.file or part.content.digest
            for part in self.most_detailed_parts_of_file_or_copy(file)
        )

    def verbatim_parts_in_archives(self) -> Iterator[HeldPart]:
        """Yield what is in archives byte for byte, and not itself a file on disk."""
        for parts in self._places.values():
            yield from (part for part in parts if part.source != part.file)

    def find_staying_place_or_none(self, content: SizedDigest, stays: Stays) -> StayingPlace | None:
        """Return where some bytes stand in a file that stays; None if they stand in none."""
        for file in self._equal.get(content, ()):
            if stays(file):
                return StayingPlace(file, file)
        for part in self._places.get(content, ()):
            for file in self.all_files_with_bytes_of(part.file):
                if stays(file):
                    return StayingPlace(part.source, file)
        return None

    def find_fate(self, file: str, stays: Stays) -> Fate:
        """Return what covers a file, as long as the files for which ``stays`` is true stay."""
        same = next(
            (one for one in self.all_files_with_bytes_of(file) if one != file and stays(one)), None
        )
        if same is not None:
            return Fate((same,), {file: (same, verdicts.IDENTICAL)})
        return self._fate_if_all_contents_stay_or_none(
            file, stays
        ) or self._fate_by_verdicts_with_releasing_words(file, stays)

    def _fate_if_all_contents_stay_or_none(self, file: str, stays: Stays) -> Fate | None:
        """Return what covers the contents of a complete container, or a file that an archive holds;
        None if that is not known.
        """
        contents = next(
            filter(None, map(self.contents.get, self.all_files_with_bytes_of(file))), None
        )
        needs, places = dict[str, None](), dict[str, tuple[str, str]]()
        todo = list(contents or ())
        own = self.parts.get(file)
        if not todo and own is not None and own.verdict == verdicts.IDENTICAL:
            # The keeper of a file on disk is in an archive only if that is the collection to keep.
            todo = [HeldContent(*self.files[file])] if not self.holds_more_than_itself(file) else []
        while todo:
            content = todo.pop()
            place = self.find_staying_place_or_none(
                SizedDigest(content.size, content.digest), stays
            )
            if place is not None:
                places[content.digest] = place.name, verdicts.IDENTICAL
                needs[place.file] = None
            elif content.inside:
                todo += content.inside
            else:
                return None
        return Fate(tuple(needs), places) if places else None

    def _fate_by_verdicts_with_releasing_words(self, file: str, stays: Stays) -> Fate:
        """Return the verdicts that cover all parts of a file, or why some part is not covered."""
        needs, places, releasing_words = dict[str, None](), dict[str, tuple[str, str]](), set[str]()
        reason = ""
        for part in self.most_detailed_parts_of_file_or_copy(file):
            place = None
            if part.content.digest and part.source != part.file:
                place = self.find_staying_place_or_none(part.content, stays)
            if place is not None:
                places[part.source] = place.name, verdicts.IDENTICAL
                needs[place.file] = None
                continue
            keeper = self.parts.get(part.keeper)
            why = self._reason_never_covered_or_empty(part, file, keeper, stays)
            if why or keeper is None:
                return Fate(why=why)
            needs[self._find_staying_file_holding_part_or_empty(keeper, stays)] = None
            places[part.source] = keeper.source, part.verdict
            own = "" if part.source == file else f"holds {part.source}, which "
            if part.verdict != verdicts.IDENTICAL:
                releasing_words.add(part.verdict)
                phrases = PHRASES.get(part.verdict)
                told = phrases.document_and_keeper if phrases else f"is {part.verdict} its keeper"
                reason = reason or own + told
                if part.form != keeper.form:
                    releasing_words.add(FORMATS)
                    names = part.form or "plain text", keeper.form or "plain text"
                    reason = f"{own}is {names[0]}, its keeper {names[1]}"
        if not places:
            return Fate(why="is not known to stand elsewhere")
        if not releasing_words:
            why = self.incomplete.get(file, "its format may hold more than what ilk reads")
            reason = f"holds nothing else that ilk reads, but {why}"
            releasing_words = {verdicts.EXACT}
        return Fate(
            tuple(needs), places, reason, tuple(sorted(releasing_words, key=_sort_key_of_drop_word))
        )

    def _find_staying_file_holding_part_or_empty(self, part: HeldPart, stays: Stays) -> str:
        """Return a file that stays and has the bytes of a part, or its file; "" if none stays."""
        if file := next(filter(stays, self.all_files_with_bytes_of(part.file)), ""):
            return file
        if not part.content.digest:
            return ""
        place = self.find_staying_place_or_none(part.content, stays)
        return place.file if place is not None else ""

    def _reason_never_covered_or_empty(
        self, part: HeldPart, file: str, keeper: HeldPart | None, stays: Stays
    ) -> str:
        """Return why a part is not covered, whatever is asked for; "" if it is."""
        own = part.source == file
        if keeper is None and part.verdict:
            whose = "" if own else f"holds {part.source}, which "
            return f"{whose}has its copy in a row or a stored document, and in no file"
        if keeper is None or not part.verdict:
            if own:
                unread = f"has a part that was not read ({part.unread})"
                return unread if part.unread else "is like no document that stays"
            reason = f", which was not read ({part.unread})" if part.unread else ""
            return f"also holds {part.source}{reason}"
        if part.keeper == part.source:
            return IS_KEEPER if own else f"also holds {part.source}, a keeper"
        whose = "" if own else f"holds {part.source}, which "
        if part.unread:
            return f"{whose}has a part that was not read ({part.unread})"
        if part.parted:
            return f"{whose}is labelled different from its keeper"
        place = self._find_staying_file_holding_part_or_empty(keeper, stays)
        if not place or place in self.all_files_with_bytes_of(file):
            return f"{whose}has no copy in a file that stays"
        if not self.files[place].digest:
            return f"{whose}has its copy in {keeper.file}, which has changed"
        if part.verdict == verdicts.IDENTICAL:
            return ""
        kinds = set(filter(None, part.left_out.split(", ")))
        if part.verdict != verdicts.EXACT and kinds <= EXACT_KINDS:
            return ""
        if part.form != keeper.form and kinds <= {UNREAD}:
            return ""  # Other formats have other parts; who drops one of them has asked for it.
        if kinds and not (part.left_digest and part.left_digest == keeper.left_digest):
            return f"{whose}has {part.left_out} that may be nowhere else"
        return ""


def _first_list_of_several_or_else_any(lists_of_parts: list[list[HeldPart]]) -> list[HeldPart]:
    """Return the first of some lists with several parts; or else with one that is in a file; or
    else with one.
    """
    for parts in lists_of_parts:
        if len(parts) > 1:
            return parts
    for parts in lists_of_parts:
        if parts and parts[0].source != parts[0].file:
            return parts
    return next(filter(None, lists_of_parts), [])


def _sort_key_of_drop_word(word: str) -> tuple[int, str]:
    return (DROPS.index(word) if word in DROPS else len(DROPS)), word


class _GroupOfEqualFiles(NamedTuple):
    """Files of equal bytes: the one that stays for all, those that stay too, and those that go."""

    first: str
    others: list[str]
    copies: list[str]


def decide_fates(
    holdings: Holdings,
    always_staying: Collection[str] = (),
    drop: CheckedDropWords = (),
    labelled_different: Collection[frozenset[str]] = (),
    *,
    only_against: bool = False,
) -> dict[str, Fate]:
    """Return the fate of every file that has a part in a cluster: those without a reason go.

    Of equal files one stays, a file that holds a keeper if there is one; then containers go whose
    contents stand in what stays; then what a person lets go.

    Args:
        holdings: the files; the best keeper comes first.
        always_staying: files that stay in any case.
        drop: words of ``DROPS``: what a person lets go.
        labelled_different: pairs of files that a person has labelled different.
        only_against: whether a file goes only for one that stays in any case.
    """
    groups = list(_groups_of_equal_files_best_first(holdings, always_staying, labelled_different))
    if only_against:
        groups = [
            part
            for group in groups
            for part in _single_files_unless_first_stays(group, always_staying)
        ]
    staying = {file for group in groups for file in (group.first, *group.others)}
    may_cover = always_staying if only_against else staying

    def can_go(group: _GroupOfEqualFiles, words: Collection[str]) -> bool:
        fate = holdings.find_fate(group.first, may_cover.__contains__)
        return not fate.why or (
            bool(fate.releasing_words) and set(fate.releasing_words) <= set(words)
        )

    free = [one for one in reversed(groups) if one.first not in always_staying and not one.others]
    keepers = {one.first for one in free if holdings.holds_keeper(one.first)}
    plain = {one.first for one in free if not holdings.holds_more_than_itself(one.first)}
    # The worst keepers go first; a document on disk stays for the archives that hold it too.
    for words, fixed in ((), keepers & plain), (drop, keepers):
        for group in free:
            if group.first in staying and group.first not in fixed:
                staying.discard(group.first)
                if not can_go(group, words):
                    staying.add(group.first)
    for group in free:  # What covered one of them may have gone after it.
        if group.first not in staying and not can_go(group, drop):
            staying.add(group.first)
    fates = dict[str, Fate]()
    for group in groups:
        for file in (group.first, *group.others):
            fates[file] = _fate_with_reason_if_staying(
                holdings, file, always_staying=always_staying, staying=staying, may_cover=may_cover
            )
        same = fates[group.first]
        if group.first in staying:
            same = Fate((group.first,), {group.first: (group.first, verdicts.IDENTICAL)})
        fates |= dict.fromkeys(group.copies, same)
    return fates


def _single_files_unless_first_stays(
    group: _GroupOfEqualFiles, always_staying: Collection[str]
) -> Iterator[_GroupOfEqualFiles]:
    """Yield a group whose first file stays in any case as it is; or each of its files alone."""
    if group.first in always_staying:
        yield group
    else:
        yield from (
            _GroupOfEqualFiles(one, [], []) for one in (group.first, *group.others, *group.copies)
        )


def _groups_of_equal_files_best_first(
    holdings: Holdings,
    always_staying: Collection[str],
    labelled_different: Collection[frozenset[str]],
) -> Iterator[_GroupOfEqualFiles]:
    """Yield the files in groups of equal bytes.

    The first of a group stays in any case if one of them does, or else holds a keeper if one does.
    """
    files_seen = set[str]()
    keeping = {part.file for part in holdings.parts.values() if part.keeper == part.source}
    for file in holdings.files:
        if file in files_seen:
            continue
        same = holdings.all_files_with_bytes_of(file)
        files_seen.update(same)
        first = next((one for one in same if one in always_staying), None)
        first = first or next((one for one in same if one in keeping), same[0])
        others = [one for one in same if one != first]
        stay = {
            one
            for one in others
            if one in always_staying or frozenset((first, one)) in labelled_different
        }
        yield _GroupOfEqualFiles(
            first, [*filter(stay.__contains__, others)], [r for r in others if r not in stay]
        )


def _fate_with_reason_if_staying(
    holdings: Holdings,
    file: str,
    *,
    always_staying: Collection[str],
    staying: Collection[str],
    may_cover: Collection[str],
) -> Fate:
    """Return the fate of a file; if it stays, with what would let it go.

    ``may_cover``: those of the staying files for which others may go.
    """
    if file in always_staying:
        return Fate(why=IS_HELD)
    stays = file in staying
    if stays and holdings.holds_keeper(file):
        return Fate(why=IS_KEEPER)
    fate = holdings.find_fate(file, lambda other: other != file and other in may_cover)
    if not stays:
        return fate._replace(why="")
    if not fate.why:
        apart = len(holdings.all_files_with_bytes_of(file)) > 1
        return Fate(why="is labelled different from its copy" if apart else "lets others go")
    releasable = set(fate.releasing_words) <= set(DROPS)
    return Fate(why=fate.why, releasing_words=fate.releasing_words if releasable else ())
