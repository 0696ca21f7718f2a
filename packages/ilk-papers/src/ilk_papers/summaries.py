"""What each source claims, its method step by step, and what came out, in a few words.

The page of all experiments begins each part with these. The steps are of one short text, and are
computed by the methods themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ilk_papers import rabin
from ilk_papers.hashes import lookup3, md5
from ilk_papers.holub import method as holub
from ilk_papers.lecture import phrases, sorting
from ilk_papers.lecture.published import NUMBERS, PHRASES, SEEDS
from ilk_papers.roth2011 import published as published_2011
from ilk_papers.roth2011.hashing import hash_code
from ilk_papers.roth2011.soundex import soundex_or_word_itself
from ilk_papers.simhash import add_votes, simhash
from ilk_papers.simhash_page import features
from ilk_papers.simhash_page.fingerprint import fingerprint
from ilk_papers.stopwords import STOP_WORDS


class MethodStep(NamedTuple):
    """A step of a method: what is done, and what it makes of the example."""

    does: str
    makes: str


class StudyQuestion(NamedTuple):
    """A question for a class, and its answer, which the tables of its source show."""

    asks: str
    answer: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A source in a few words.

    Attributes:
        claim: what it says.
        steps: its method on an example.
        findings: what came out, in two sentences.
        questions: for a class, before the answers.
    """

    claim: str
    steps: Callable[[], list[MethodStep]]
    findings: str
    questions: tuple[StudyQuestion, ...]


def _steps_of_2011() -> list[MethodStep]:
    every = (word.strip(",.").lower() for word in published_2011.SENTENCE.split())
    words = [word for word in every if word not in STOP_WORDS][:4]
    run = " ".join(map(soundex_or_word_itself, words))
    code = hash_code(run)
    return [
        MethodStep("Take the words without stop words", " ".join(words)),
        MethodStep("Write each by its sound (Soundex)", run),
        MethodStep("Take runs of k codes; hash each", f"{code:,} for this run of 4"),
        MethodStep("Keep those that 25 divides", f"{code % 25} is left over: not kept"),
        MethodStep("Add up what is kept", "one number of 32 bits"),
        MethodStep("Compare two numbers", "similar within 30 %"),
    ]


def _steps_of_2013() -> list[MethodStep]:
    runs = rabin.distinct_runs_of_four_units_in_text_order("Hello world")
    hashes = rabin.fingerprints(runs).tolist()
    sums = add_votes(hashes)[::-1].astype(int).tolist()
    return [
        MethodStep("Take the runs of 4 characters", "Hell ello llo\u2423 lo\u2423w ..."),
        MethodStep("Hash each (Rabin, 64 bits)", " ".join(f"{value:016x}" for value in hashes[:2])),
        MethodStep(
            "V: add 1 where a bit is 1, else subtract 1",
            " ".join(f"{value:+d}" for value in sums[:12]) + " ...",
        ),
        MethodStep(
            "The signs of V", "".join("1" if value > 0 else "0" for value in sums[:24]) + "..."
        ),
        MethodStep("The Similarity Index", f"{simhash(hashes, bits=64, ties=0):016x}"),
        MethodStep("Compare two: count the bits that differ", "similar within 6 of 64"),
    ]


def _steps_of_lecture() -> list[MethodStep]:
    pairs = phrases.distinct_character_pairs(PHRASES[0])[:4]
    rotated_number = sorting.rotate_bits(NUMBERS[1], 2, 16)
    return [
        MethodStep(
            "Take the pairs of characters",
            " ".join(pair.decode().replace(" ", "\u2423") for pair in pairs),
        ),
        MethodStep(
            "Hash each, add up, take the signs",
            f"{phrases.fingerprint(PHRASES[0], SEEDS[1])}",
        ),
        MethodStep("Sort all numbers, compare neighbours", "7 of 28 pairs of eight numbers"),
        MethodStep("Rotate all by some bits", f"{NUMBERS[1]:016b} to {rotated_number:016b}"),
        MethodStep("Sort and compare again", "pairs that differ in high bits meet now"),
    ]


def _steps_of_page() -> list[MethodStep]:
    text = "The earth revolves around the sun"
    counted = features.words_but_stop_words(text)
    first = counted[0]
    value = fingerprint(dict.fromkeys(map(str, counted), 1), md5, 64)
    return [
        MethodStep("Take the words without stop words", " ".join(map(str, counted))),
        MethodStep("Weight each: tf, or tf-idf", f"{first}: 1"),
        MethodStep("Hash each (MD5)", f"{md5(str(first).encode(), 64):016x}"),
        MethodStep("Add up the weights, bit by bit; take the signs", f"{value:016x}"),
        MethodStep("Sort copies with blocks of bits moved to the top", "4 tables for 3 bits of 64"),
    ]


def _steps_of_holub() -> list[MethodStep]:
    text = "to be or not to be"
    weighted = holub.count_weights(holub.tokens(text))
    sums = holub.add_weighted_votes(weighted)[::-1].astype(int).tolist()
    return [
        MethodStep("Take the tokens", text),
        MethodStep(
            "Weight each by how often it occurs",
            ", ".join(f"{token} {weight}" for token, weight in weighted.items()),
        ),
        MethodStep("Hash each (Jenkins' lookup3)", f"{lookup3(b'to', 64):016x} ..."),
        MethodStep(
            "V: add or subtract the weights", " ".join(f"{v:+d}" for v in sums[:12]) + " ..."
        ),
        MethodStep("The signs of V", f"{holub.charikar_hash(text):016x}"),
    ]


#: By the name of each room.
SUMMARIES = {
    "roth2011": Summary(
        "One number can stand for a document, so that similar documents have numbers within 30 % "
        "of each other, and a database finds them with a range query. Of 672 ways to compute it "
        "the best is 43B: Soundex codes, long runs, those whose hash 25 divides.",
        _steps_of_2011,
        "With Java's hash codes of 32 bits the scores are chance: another multiplier than 31 makes "
        "another method the best. With exact values, which keep all bits, the published winner "
        "appears to the cell, because the longest run decides the sum.",
        (
            StudyQuestion(
                "Which score has a method that says exactly what the author expects of every pair?",
                "35 / 10 = 3.50, the published best: he expects low similarity or none in ten of "
                "the 45 cells that count. A method scores higher only by being wrong (Table 9).",
            ),
            StudyQuestion(
                "Hash codes have a sign. What does the sum of many of them say of a text?",
                "Little: it wanders like the steps of a drunkard, and the sum of a long text may "
                "be near 0.",
            ),
        ),
    ),
    "roth2013": Summary(
        "64 bits can stand for a document, so that similar documents differ in few of them: at "
        "most 6 for 90 %. It finds nearly all insertions, and far fewer deletions.",
        _steps_of_2013,
        "The recipe is the author's own: two of his texts get his printed fingerprints to the bit. "
        "Deletions look worse because his insertions copy text that the file already has: foreign "
        "text costs more bits than a deletion, up to a fifth of the file.",
        (
            StudyQuestion(
                "Has a text the same fingerprint if its line ends are those of Unix and not of "
                "DOS?",
                "No: the method takes white space as it stands. 11 bits of the Gettysburg Address "
                "differ, and 7 of the Constitution.",
            ),
            StudyQuestion(
                "Why does 90 % of 64 bits mean a distance of 6, and not of 6.4?",
                "Bits are whole. 58 of 64 are 90.6 %, and 57 are 89.1 %.",
            ),
            StudyQuestion(
                "In Table 2 of 2014, which printed value is the first that is no sum?",
                "Column 9 of llo: its bit is 1, so that -2 becomes -1, not -3. It makes one bit "
                "of the fingerprint wrong: 271 is printed for 335.",
            ),
        ),
    ),
    "lecture": Summary(
        "Equal pages are found by digests; similar ones by sets of shingles, or by simhashes "
        "whose near ones become neighbours when they are sorted, rotated and sorted again.",
        _steps_of_lecture,
        "All eight printed numbers come out: the hash was the first MurmurHash of Ruby 1.9, and "
        "its seeds are found. Sorting and rotating misses pairs however often it is repeated, "
        "since only neighbours are compared; the exact join misses none.",
        (
            StudyQuestion(
                "Eight numbers are sorted and neighbours compared. Which of the three near pairs "
                "is missed, and what finds it?",
                "2 and 4: they differ in the two highest bits. Rotated by two, they are "
                "neighbours.",
            ),
            StudyQuestion(
                "Two pages differ in one letter. What do their MD5s have in common?",
                "About half of the bits, as any two numbers have: a digest tells equal from "
                "unequal, and nothing of how unequal.",
            ),
            StudyQuestion(
                "Two pages have one hash of their first 100 characters. Are they equal?",
                "Nobody knows yet, since pages of one site begin alike. The bucket says which "
                "pages may be equal; the pages say whether they are.",
            ),
            StudyQuestion(
                "Why can a digest of 128 bits stand for a page, and one of 14 cannot?",
                "Each bit doubles the texts that must be tried: 2^14 are tried in a moment, 2^128 "
                "never.",
            ),
        ),
    ),
    "simhash-page": Summary(
        "Features of a page, weighted and hashed, make a fingerprint; tables sorted by permuted "
        "bits find the near ones among millions.",
        _steps_of_page,
        "Every combination of features, hash and width runs. The tables are exact up to the "
        "distance that they were made for, and miss pairs beyond it; the exact join misses none.",
        (
            StudyQuestion(
                "How many sorted tables find all pairs within 3 bits, if one of four blocks must "
                "agree?",
                "4: three bits that differ touch at most three of the four blocks.",
            ),
        ),
    ),
    "holub": Summary(
        "Tokens, or tuples of them, each hashed and weighted, add up to a vector whose signs are "
        "the hash of the document.",
        _steps_of_holub,
        "The recipe holub gives the same bits, and so does a header of C. The page does not tell "
        "which of Jenkins' hashes it means; fingerprints by all three are shown, and are recipes.",
        (
            StudyQuestion(
                "Do the hashes of two texts differ if both have the same tokens in another order?",
                "No, with single tokens; with tuples of tokens (super-tokens) they do.",
            ),
        ),
    ),
}

#: The words of the page, for who meets them first here.
WORDS = {
    "run, k-gram, shingle": "k characters or k words that stand side by side in a text. A text has "
    "nearly as many as it has characters, or words.",
    "feature": "What a method takes from a text: its runs, or its words.",
    "hash": "A whole number made of a feature: the same for equal features, and as good as random "
    "otherwise. Java's hash code multiplies by 31 for each character, and keeps 32 bits.",
    "digest": "The hash of a whole text. One changed letter changes about half of its bits.",
    "sketch": "The few hashes that stand for all of a text. The sketch 0 mod 25 has those that 25 "
    "divides; a winnowed sketch has the least hash of each window of some hashes.",
    "Soundex": "A code for the sound of a word: its first letter and three digits.",
    "V": "One sum for each bit. Each feature adds 1 (or its weight) to the sums of the bits that "
    "are 1 in its hash, and subtracts as much from the others.",
    "fingerprint, SimHash, Similarity Index of 2013": "The signs of V: a bit is 1 where its sum is "
    "above zero. Texts with many features in common have fingerprints that differ in few bits.",
    "distance, bits apart": "The bits in which two fingerprints differ (Hamming). Two of 64 bits "
    "that have nothing to do with each other are about 32 apart.",
    "Jaccard similarity, resemblance": "Of the features that at least one of two texts has, the "
    "share that both have. Containment: of the features of one, the share that the other has.",
    "MinHash": "A fingerprint, or a list of numbers, made of the least hash of a text's features "
    "under many different hashes: it estimates the resemblance.",
    "tf, tf-idf": "Weights of a word: how often the text has it (tf); the same times the logarithm "
    "of the number of texts over those with the word (tf-idf), so that rare words count more.",
    "FP, FN, correct, score": "Of the pairs of documents: those called similar that should not be "
    "(false positives), those not called so that should be (false negatives), those called so "
    "rightly; and correct / (FP + FN).",
    "43B 40 100": "How the paper of 2011 writes a way to compute its number. 43 is method 3 (the "
    "sum of the sketch 0 mod 25) on Soundex codes: 1 to 14 are of characters, 21 to 34 of words, "
    "41 to 54 of codes. A takes the text as it is, B leaves out stop words (the, of, ...), C "
    "leaves out vowels, or takes each word once, D does both. 40 is k, and 100 the window of a "
    "winnowed sketch.",
    "recipe": "The complete way from a text to its fingerprint, as ilk writes it.",
    "exact join": "The search of ilk that finds all pairs within a distance, and misses none.",
    "CPU ms": "Milliseconds that a processor worked, on the computer that made this page.",
}
