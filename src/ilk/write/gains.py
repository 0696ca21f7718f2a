"""What can go, by what lets it go, in sentences: the same on a terminal, in a page and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ilk.base.sizes import spell_size
from ilk.search.measures import count_noun


class FileFate(NamedTuple):
    """What happens to a file that is in a family, or holds something that is.

    Attributes:
        size: its bytes.
        stays: why it stays; "" if it goes.
        asks: the words of ``--drop`` that let it go, or have let it go; empty if its bytes stay.
        copy: the file of equal bytes that stays for it; "" without one.
        runs: how many runs of words in it its keepers lack.
        link: another name of it, a hard link, if that goes too and is counted first; else "".
    """

    size: int
    stays: str = ""
    asks: tuple[str, ...] = ()
    copy: str = ""
    runs: int = 0
    link: str = ""

    @property
    def size_or_zero_for_extra_hard_link(self) -> int:
        """The bytes that its going adds to those of all other files that go."""
        return 0 if self.link else self.size


class Gain(NamedTuple):
    """Files that go for one reason: how many, their bytes, and the runs of words in them that their
    keepers lack.
    """

    files: int = 0
    bytes: int = 0
    runs: int = 0


#: Files whose bytes stay, among the words of ``--drop``.
PROVED = "proved"

#: What is said of files that one word of ``--drop`` lets go: of one, and of several.
_SAID = {
    "exact": ("says the same words", "say the same words"),
    "numbers_only": ("differs only in numbers", "differ only in numbers"),
    "near": ("is nearly the same", "are nearly the same"),
    "noisy": ("is a noisy copy", "are noisy copies"),
    "contained": ("is contained in another one", "are contained in others"),
    "empty": ("is empty", "are empty"),
}

#: The same of files that need ``formats`` besides, and of those that need several words.
_FORMAT = ("is like one of another format", "are like others of another format")
_SEVERAL = ("holds several such parts", "hold several such parts")


def count_possible_gains_by_drop_words(files: Mapping[str, FileFate]) -> dict[str, Gain]:
    """Return what can go: ``proved``, and what words of ``--drop``, joined by commas, let go.

    Files of a word are counted whether they are dropped or not.
    """
    gains = dict[str, Gain]()
    for file in files.values():
        if not file.stays or file.asks:
            words = ",".join(file.asks) or PROVED
            old = gains.get(words, Gain())
            gains[words] = Gain(
                old.files + 1,
                old.bytes + file.size_or_zero_for_extra_hard_link,
                old.runs + file.runs,
            )
    order = [PROVED, *_SAID, "formats"]
    return dict(sorted(gains.items(), key=lambda one: [order.index(w) for w in one[0].split(",")]))


def plain_gains_and_total_dropped(files: Mapping[str, FileFate]) -> dict[str, Any]:
    """Return the same as plain values, and what the plan drops."""
    dropped = [file.size_or_zero_for_extra_hard_link for file in files.values() if not file.stays]
    gains = count_possible_gains_by_drop_words(files)
    plain: dict[str, Any] = {"files": len(dropped), "bytes": sum(dropped)}
    for words, gain in ({PROVED: Gain()} | gains).items():
        measured = {"runs_only_there": gain.runs} if words not in (PROVED, "exact", "empty") else {}
        plain[words] = {"files": gain.files, "bytes": gain.bytes} | measured
    return plain


def spell_gains(files: Mapping[str, FileFate], words_per_run: int) -> Iterator[str]:
    """Yield sentences that say how much can go, and what lets it go.

    Args:
        files: what happens to each.
        words_per_run: how long the runs of words are that keepers lack.
    """
    for words, gain in count_possible_gains_by_drop_words(files).items():
        if not gain.bytes:  # Nothing is gained.
            continue
        much = f"{count_noun(gain.files, 'file')}, {spell_size(gain.bytes)}"
        if words == PROVED:
            yield f"{much}: the same bytes stay."
            continue
        sentence = _SAID.get(words, _FORMAT if "formats" in words else _SEVERAL)[gain.files > 1]
        lacking = ""
        if gain.runs:
            stand = "stands" if gain.runs == 1 else "stand"
            them = (
                "it, and not in its keeper" if gain.files == 1 else "them, and not in their keepers"
            )
            runs = f"{count_noun(gain.runs, 'run')} of {count_noun(words_per_run, 'word')}"
            lacking = f"; {runs} {stand} in {them}"
        yield f"{much}, {sentence} (--drop {words}){lacking}."
