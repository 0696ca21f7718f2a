"""What can go, by what lets it go, in sentences: the same on a terminal, in a page and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ilk.arrow import verdicts
from ilk.base.sizes import spell_size
from ilk.search.measures import count_noun


class FileFate(NamedTuple):
    """What happens to a file that is in a family, or contains a document that is.

    Attributes:
        size: its bytes.
        why: why it stays; "" if it goes.
        releasing_words: those of ``--drop`` that let it go, or have let it go; empty if its bytes
            stay.
        copy_that_stays: the file of equal bytes that stays for it; "" without one.
        runs: how many runs of words in it its keepers lack.
        counted_link: another name of it, a hard link, if that goes too and is counted first; else
            "".
    """

    size: int
    why: str = ""
    releasing_words: tuple[str, ...] = ()
    copy_that_stays: str = ""
    runs: int = 0
    counted_link: str = ""

    @property
    def size_or_zero_for_extra_hard_link(self) -> int:
        """The bytes that its going adds to those of all other files that go."""
        return 0 if self.counted_link else self.size


class Gain(NamedTuple):
    """Files that go for one reason: how many, their bytes, and the runs of words in them that their
    keepers lack.
    """

    files: int = 0
    bytes: int = 0
    runs: int = 0


#: Files whose bytes stay, among the words of ``--drop``.
PROVED = "proved"

#: Words of ``--drop`` that are no verdict: for documents like one of another format, and for empty
#: files.
FORMATS, EMPTY = "formats", "empty"


class DropPhrases(NamedTuple):
    """What is said of files that a word of ``--drop`` releases.

    Attributes:
        one_file: of one of them.
        several_files: of several.
        document_and_keeper: of a document that has this verdict; "" if the word is no verdict.
    """

    one_file: str
    several_files: str
    document_and_keeper: str = ""


#: All words of ``--drop``, in the order in which they are listed.
PHRASES = {
    verdicts.EXACT: DropPhrases(
        "says the same words", "say the same words", "says the same words as its keeper"
    ),
    verdicts.NUMBERS_ONLY: DropPhrases(
        "differs only in numbers",
        "differ only in numbers",
        "differs from its keeper only in numbers",
    ),
    verdicts.NEAR: DropPhrases(
        "is nearly the same", "are nearly the same", "is nearly the same as its keeper"
    ),
    verdicts.NOISY: DropPhrases(
        "is a noisy copy", "are noisy copies", "is a noisy copy of its keeper"
    ),
    verdicts.CONTAINED: DropPhrases(
        "is contained in another one", "are contained in others", "is contained in its keeper"
    ),
    FORMATS: DropPhrases("is like one of another format", "are like others of another format"),
    EMPTY: DropPhrases("", ""),  # Never said: no bytes are gained.
}

#: Phrases for files that need several words.
_SEVERAL = DropPhrases("holds several such parts", "hold several such parts")


def count_possible_gains_by_drop_words(files: Mapping[str, FileFate]) -> dict[str, Gain]:
    """Return what can go: ``proved``, and what words of ``--drop``, joined by commas, let go.

    Files of a word are counted whether they are dropped or not.
    """
    gains = dict[str, Gain]()
    for file in files.values():
        if not file.why or file.releasing_words:
            words = ",".join(file.releasing_words) or PROVED
            old = gains.get(words, Gain())
            gains[words] = Gain(
                old.files + 1,
                old.bytes + file.size_or_zero_for_extra_hard_link,
                old.runs + file.runs,
            )
    order = [PROVED, *PHRASES]
    return dict(sorted(gains.items(), key=lambda one: [order.index(w) for w in one[0].split(",")]))


def plain_gains_and_total_dropped(files: Mapping[str, FileFate]) -> dict[str, Any]:
    """Return the same as plain values, and what the plan drops."""
    dropped = [file.size_or_zero_for_extra_hard_link for file in files.values() if not file.why]
    gains = count_possible_gains_by_drop_words(files)
    plain: dict[str, Any] = {"files": len(dropped), "bytes": sum(dropped)}
    for words, gain in ({PROVED: Gain()} | gains).items():
        measured = (
            {"runs_only_there": gain.runs} if words not in (PROVED, verdicts.EXACT, EMPTY) else {}
        )
        plain[words] = {"files": gain.files, "bytes": gain.bytes} | measured
    return plain


def spell_gains(files: Mapping[str, FileFate], words_per_run: int) -> Iterator[str]:
    """Yield sentences that say how much can go, and what lets it go.

    Args:
        files: what happens to each.
        words_per_run: how long the runs of words are that keepers lack.
    """
    for words, gain in count_possible_gains_by_drop_words(files).items():
        if not gain.bytes:  # Empty files, and further names of files that are counted.
            continue
        much = f"{count_noun(gain.files, 'file')}, {spell_size(gain.bytes)}"
        if words == PROVED:
            yield f"{much}: the same bytes stay."
            continue
        phrases = PHRASES.get(words, PHRASES[FORMATS] if FORMATS in words else _SEVERAL)
        sentence = phrases.several_files if gain.files > 1 else phrases.one_file
        lacking = ""
        if gain.runs:
            stand = "stands" if gain.runs == 1 else "stand"
            them = (
                "it, and not in its keeper" if gain.files == 1 else "them, and not in their keepers"
            )
            runs = f"{count_noun(gain.runs, 'run')} of {count_noun(words_per_run, 'word')}"
            lacking = f"; {runs} {stand} in {them}"
        yield f"{much}, {sentence} (--drop {words}){lacking}."
