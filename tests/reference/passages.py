"""The passages of a collection by their definition: every run looked for at every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: A document and a word of it.
Place = tuple[int, int]


def places(documents: Sequence[Sequence[str]], run: Sequence[str]) -> list[Place]:
    """All places of a run of words, in reading order."""
    return [
        (doc, start)
        for doc, words in enumerate(documents)
        for start in range(len(words) - len(run) + 1)
        if words[start : start + len(run)] == run
    ]


def runs(
    documents: Sequence[Sequence[str]],
    least: int,
    apart: Callable[[Place, Place], bool] = lambda one, other: one != other,
) -> list[dict[str, int | None]]:
    """Every run of words that stands at another place and lies in no longer one that does.

    Args:
        documents: their words.
        least: the least number of words.
        apart: whether two places count as two.
    """
    found = []
    for doc, words in enumerate(documents):
        last = 0
        for start in range(len(words)):
            for end in range(len(words), max(start + least - 1, last), -1):
                run = words[start:end]
                others = [p for p in places(documents, run) if apart((doc, start), p)]
                if others:
                    last = end
                    found.append((doc, start, end, places(documents, run), others[0]))
                    break
    firsts = sorted({(all_of[0], end - start) for _, start, end, all_of, _ in found})
    return [
        {
            "passage": firsts.index((all_of[0], end - start)),
            "doc": doc,
            "start": start,
            "end": end,
            "occurrences": len(all_of),
            "earlier_doc": other[0] if other < (doc, start) else None,
            "earlier_start": other[1] if other < (doc, start) else None,
        }
        for doc, start, end, all_of, other in found
    ]


def shares(documents: Sequence[Sequence[str]], least: int) -> list[tuple[int, int, int]]:
    """Per document its words in runs that stand elsewhere, before it, and only in itself."""
    found = []
    for doc, words in enumerate(documents):
        elsewhere: set[int] = set()
        before: set[int] = set()
        anywhere: set[int] = set()
        for start in range(len(words) - least + 1):
            run = range(start, start + least)
            others = places(documents, words[start : start + least])
            if len(others) > 1:
                anywhere.update(run)
            if any(other != doc for other, _ in others):
                elsewhere.update(run)
            if any(other < doc for other, _ in others):
                before.update(run)
        found.append((len(elsewhere), len(before), len(anywhere - elsewhere)))
    return found


def words_before(
    documents: Sequence[Sequence[str]],
    rank: Sequence[int],
    groups: Sequence[int] | None,
    least: int,
) -> set[Place]:
    """The words of grams that have a place before.

    Args:
        documents: their words.
        rank: documents with less come before.
        groups: with these, only a place in a document of another group counts; without, one that
            does not overlap.
        least: words of a gram.
    """
    gone = set()
    for doc, words in enumerate(documents):
        for start in range(len(words) - least + 1):
            for other, at in places(documents, words[start : start + least]):
                apart = other != doc or at + least <= start
                if groups is not None:
                    apart = groups[other] != groups[doc]
                if apart and (rank[other], at) < (rank[doc], start):
                    gone |= {(doc, word) for word in range(start, start + least)}
    return gone
