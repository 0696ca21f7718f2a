"""The numbers and example phrases of the lecture."""

from __future__ import annotations

#: Jaccard's distance: two sets, and clusters of their items.
SET_A, SET_B = frozenset({0, 1, 2, 5, 6}), frozenset({0, 2, 3, 5, 7, 9})
CLUSTERS = ({0, 1, 2}, {3, 4}, {5, 6}, {7, 8, 9})
JACCARD, CLUSTERED = 0.375, 0.5

#: Shingles of four words: how many there are, and how many different ones.
ROSE = "a rose is a rose is a rose"
ROSE_BAG, ROSE_SET = 5, 3

#: Sixteen shingles of three words, the values they were hashed to, and those that are 0 modulo 4.
FISH = (
    "Tropical fish include fish found in tropical environments around the world, including both "
    "freshwater and salt water species"
)
FISH_HASHES = (938, 664, 463, 822, 492, 798, 78, 969, 143, 236, 913, 908, 694, 553, 870, 779)
FISH_SELECTED = (664, 492, 236, 908)

#: Two phrases that share their letters only where white space is left out.
TOUCHDOWN = ("plane has touch down", "threw a touchdown")

#: Slide 32: the hashes of two shingles of the first phrase, by the process that made the slide.
SHINGLE_HASHES = {"th": -502157718, "he": -369049682}

#: The seeds of the two processes that made the numbers: of the shingles, and of the phrases.
SEEDS = (0x55ED5ABD, 0x862BE6E7)

#: SimHash in 32 bits over pairs of characters, and the hashes of the whole phrases.
PHRASES = ("the cat sat on the mat", "the cat sat on a mat", "we all scream for ice cream")
SIMHASHES = (851459198, 847263864, 984968088)
PLAIN = (415542861, 668720516, 767429688)

#: Distances of those: first and second, first and third, second and third.
PHRASE_DISTANCES = (4, 16, 12)

#: Sort and rotate: the numbers 1 to 8, of 16 bits, and the distances of those that follow.
NUMBERS = (37586, 50086, 2648, 934, 40957, 2650, 64475, 40955)
DISTANCES = (7, 11, 9, 9, 9, 7, 4)
SORTED = (4, 3, 6, 1, 8, 5, 2, 7)
#: Near pairs, and how far apart they are: adjacent after sorting, the last one after rotating.
FOUND_BY_SORTING = ((3, 6, 1), (8, 5, 2), (4, 2, 2))
#: The numbers rotated left by two.
TURNED = (19274, 3739, 10592, 3736, 32758, 10600, 61295, 32750)
ROTATED = (4, 2, 3, 6, 1, 8, 5, 7)
ROTATED_DISTANCES = (2, 11, 1, 5, 6, 2, 6)
#: Slide 35: the distances of the rotated numbers in the order of the sorted ones, which are those
#: of the sorted ones: a rotation keeps distances.
SORTED_DISTANCES = (9, 1, 5, 6, 2, 9, 9)

#: Slide 30: the bits of a fingerprint.
F = 64

#: Slide 14: the bits of the digests that it names.
DIGEST_BITS = {
    "md5": 128,
    "sha1": 160,
    "ripemd160": 160,
    "sha224": 224,
    "sha256": 256,
    "sha384": 384,
    "sha512": 512,
}
