"""From a text to its bits, every step a function; ``ilk``'s recipes ``holub`` give the same.

Source: V. Holub's page on Charikar's hash. It does not tell which of Jenkins' hashes it means
(one-at-a-time, lookup2 or lookup3); this is lookup3 of 2006, the last of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ilk_papers.hashes import Hash, lookup3
from ilk_papers.simhash import Votes, add_votes, signs_of_votes

BITS = 64

_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SuperTokens:
    """What Holub leaves to choose: how many tokens a super-token has; 1 takes tokens."""

    tokens: int


#: By the name that a preset is asked by.
PRESETS = {"holub": SuperTokens(tokens=1), "holub-super": SuperTokens(tokens=3)}


def tokens(text: str) -> list[str]:
    """Return the words of a text, folded: runs of letters and digits.

    >>> tokens("To be, or not")
    ['to', 'be', 'or', 'not']
    """
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def super_tokens(words: Sequence[str], width: int) -> list[str]:
    """Return tuples of adjacent tokens, written with a blank between them; if too few, all as one.

    >>> super_tokens(["to", "be", "or"], 2)
    ['to be', 'be or']
    """
    count = max(len(words) - width + 1, min(1, len(words)))
    return [" ".join(words[at : at + width]) for at in range(count)]


def count_weights(features: Sequence[str]) -> dict[str, int]:
    """Return how often each occurs: whole numbers, in the order in which they are first seen."""
    return dict(Counter(features))


def add_weighted_votes(
    weights_of_tokens: Mapping[str, int], bits: int = BITS, hash_function: Hash = lookup3
) -> Votes:
    """Return V: as many whole numbers as the hash has bits, up to 64, the lowest bit first."""
    hashes = [
        hash_function(token.encode(errors="surrogatepass"), bits) for token in weights_of_tokens
    ]
    return add_votes(hashes, list(weights_of_tokens.values()), bits)


def charikar_hash(
    text: str,
    preset: SuperTokens = PRESETS["holub"],
    bits: int = BITS,
    hash_function: Hash = lookup3,
) -> int:
    """Return the hash of a text: a one where V is above zero.

    Args:
        text: any.
        preset: how many tokens a super-token has.
        bits: of the hash, up to 64; of a hash other than lookup3, 32 or 64.
        hash_function: one of ``ilk_papers.hashes.JENKINS``.

    >>> charikar_hash("to be or not to be") == charikar_hash("be to, not or: be to")
    True
    """
    weighted = count_weights(super_tokens(tokens(text), preset.tokens))
    return signs_of_votes(add_weighted_votes(weighted, bits, hash_function), ties=0)
