"""What the paper reports."""

from __future__ import annotations

#: Files and megabytes, before and after the corpus maker.
ORIGINALS, ORIGINAL_MB = 13_620, 343
FILES, MB = 20_476, 523

#: Its kinds of files; they add up to neither of the two.
INSERTIONS, DELETIONS, UNCHANGED = 4_619, 3_057, 12_800

#: Section 2.1: the chance with which a file gets a modified copy, and with which that is an
#: insertion.
CHANCE = 0.5

#: Appendix 1: entries of its two collections, and what their files and megabytes add up to.
APPENDIX_ENTRIES, APPENDIX_FILES, APPENDIX_MB = (14, 18), 13_620, 316.5

#: Section 2.5: files that it names as like one another, and what it says of them.
NAMED = (
    ("handles.txt, anonymit", "equal, under two names"),
    ("court.law, neidorf", "equal, under two names"),
    ("st71p, st71p5, st72p5, st720p5, st75p5, st710p5", "one group, 0 to 5 bits apart"),
    ("st72a", "apart from them: it has more content"),
)

#: Seconds for fingerprints and for comparing every two, and what it makes of them.
FINGERPRINT_SECONDS, COMPARE_SECONDS = 160, 106
MB_PER_SECOND, MILLIONS_PER_SECOND = 3.3, 1.99

#: Comparisons, in millions, as the paper has them: 106 s at 1.99 million a second. (Of 20,476 files
#: there are 209.6 million pairs.)
COMPARISONS_MILLIONS = 211

#: The result file: pairs that agree in at least 90 % of 64 bits.
RADIUS, LINES = 6, 35_377

#: The file that is similar to the most.
MOST_FILE = "st8134k.txt"

#: Files that are similar to another, the most that one is similar to, and how many to ten or more.
SIMILAR, MOST, TEN_OR_MORE = 14_900, 15, 25

#: Modified files out of reach of their original (7 bits or more), and insertions among them.
OUT_OF_REACH, OUT_INSERTIONS = 2_613, 141

#: Modified files with their original's fingerprint, and deletions among them.
UNMOVED, UNMOVED_DELETIONS = 940, 27

#: The largest changes, in per cent, that left the fingerprint as it was.
LARGEST_INSERTION, LARGEST_DELETION = 80, 33

#: Table 1: the grams of "Hello world" in its order, their hashes, and the fingerprint of the eight.
TABLE_1 = {
    "Hel": 281,
    "ell": 317,
    "lo ": 251,
    "o w": 262,
    " wo": 262,
    "wor": 344,
    "orl": 333,
    "rld": 322,
}
LEFT_OUT, LEFT_OUT_HASH = "llo", 327
EIGHT, NINE = 264, 335

#: Section 2.2.2: two fingerprints, and their distance.
TWO, TWO_DISTANCE = (0xA3DBF34F76EA0510, 0xA39BF85F76EA1510), 6

#: The printed result of the query for what is like ``sttech.txt``: file, fingerprint, distance.
QUERY = (
    ("sttech.txt", 0x3F5D150F76495C83, 0),
    ("warpte.txt", 0x1F5D150F76495C83, 1),
    ("warpte_i_6.txt", 0x1F5D150F76495C83, 1),
    ("treknolo", 0x1B45150F7E495C93, 6),
    ("treknolo_i_25", 0x1B45150F7E495C93, 6),
)

#: Appendix 2: arguments of the function HamDist in T-SQL, and what it gives; it is null if either
#: argument is.
HAM_DIST = (("00100", "11100", 2), (None, "11100", None), ("00100", None, None))

#: Appendix 1: where the paper's files are from, and how they can be had today.
COLLECTIONS = (
    ("textfiles.com", "over HTTP, folder by folder: its index lists every file"),
    ("Project Gutenberg", "by rsync from a mirror, or book by book over HTTP as plain text"),
)

#: Table 20 of "Find Similar Documents Without Using a Full Text Index" (Roth 2014): file,
#: fingerprint, and its similarity to the last file above it that has None, for which it was found.
TABLE_20 = (
    ("sw56gu.txt", 0x2B8A0079CE69292A, None),
    ("sw56gu_dup.txt", 0x2B8A0079CE69292A, 1.0),
    ("killfile.faq", 0xD9CA8ACDF6D3721E, None),
    ("killfile_i_25.faq", 0xD9CA8ACDF6D37E1E, 0.96875),
    ("a16.txt", 0xA3BA4B1670181C9E, None),
    ("a16_dup.txt", 0xA3BA4B1670181C9E, 1.0),
    ("ab88.txt", 0x82AA434634191D5E, 0.8125),
    ("ba88.txt", 0x22BA4B0630111D5E, 0.859375),
    ("gettysburg.txt", 0x2F470B3DD7A4C041, None),
    ("getty_d_1.txt", 0x2F4F0B3DD7A4C051, 0.96875),
    ("getty_d_10.txt", 0x2D4F0B1DD7A4C841, 0.9375),
    ("getty_d_5.txt", 0x2F470B3DDFA48841, 0.953125),
    ("getty_i_1.txt", 0x2F470B7DD7A4C051, 0.96875),
    ("getty_i_10.txt", 0x2F470B3DD7A4C051, 0.984375),
    ("getty_i_5.txt", 0x2F4F0B3DD7A4C841, 0.96875),
    ("us-const.txt", 0xF5190F797A2F229D, None),
    ("const11.txt", 0xF5190F797A2F229D, 1.0),
    ("us-const_d_10.txt", 0xC5190F797A27229D, 0.953125),
    ("us-const_d_5.txt", 0xF5190F797A27229D, 0.984375),
    ("us-const_i_10.txt", 0xF5190F797A2F229D, 1.0),
    ("us-const_i_5.txt", 0xF5190F797A2F229D, 1.0),
    ("MS Word file.docx", 0xA46A68A2CEB7A787, None),
    ("MS Word file_dup.docx", 0xA46A68A2CEB7A787, 1.0),
    ("MS Word file_d_10.docx", 0xBDE955C3DA13FBC7, None),
    ("MS Word file.pdf", 0x45FF047E1145BFA9, None),
    ("MS Word file_dup.pdf", 0x45FF047E1145BFA9, 1.0),
    ("MS Word file_d_10.pdf", 0x65AF0C5431B9FD8D, None),
    ("VaticanStaircase.jpg", 0x12F0CC620B5CC1C8, None),
    ("VaticanStaircase_dup.jpg", 0x12F0CC620B5CC1C8, 1.0),
)

#: Table 2 of the same article: all nine grams of "Hello world", their hashes, V after each as
#: printed, highest bit first; and the fingerprint, which follows from its last row.
TABLE_2_OF_2014 = {
    "Hel": (281, (-1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, 1, 1, -1, -1, 1)),
    "ell": (317, (-2, -2, -2, -2, -2, -2, -2, 2, -2, -2, 0, 2, 2, 0, -2, 2)),
    "llo": (327, (-3, -3, -3, -3, -3, -3, -3, 3, -3, -3, -1, 1, 1, 1, -1, 3)),
    "lo ": (251, (-4, -4, -4, -4, -4, -4, -4, 2, -2, -2, 0, 2, 2, 0, 0, 4)),
    "o w": (262, (-5, -5, -5, -5, -5, -5, -5, 3, -3, -3, -1, 1, 1, 1, 1, 3)),
    " wo": (262, (-6, -6, -6, -6, -6, -6, -6, 4, -4, -4, -2, 0, 0, 2, 2, 2)),
    "wor": (344, (-7, -7, -7, -7, -7, -7, -7, 5, -5, -3, -3, 1, 1, 1, 1, 1)),
    "orl": (333, (-8, -8, -8, -8, -8, -8, -8, 6, -6, -2, -4, 0, 2, 2, 0, 2)),
    "rld": (322, (-9, -9, -9, -9, -9, -9, -9, 7, -7, -1, -5, -1, 1, 1, 1, 1)),
}
FINGERPRINT_OF_2014 = 271

#: Table 3 of the same article: the two fingerprints of section 2.2.2, their distance over 64, and
#: the share that is alike, in per cent.
DIFFERENCE_OF_2014, ALIKE_OF_2014 = 0.09375, 91

#: Table 4 of the same article: four drafts in 16 bits, with their distances from the first and the
#: similarities in per cent, rounded down.
TABLE_4_OF_2014 = (
    ("Gettysburg_Address_FINAL.txt", 0b1100000001000001, None, None),
    ("Gettysburg_Address_DRAFT2.txt", 0b1100000001000010, 2, 87),
    ("Gettysburg_Address_DRAFT.txt", 0b1100000001000110, 3, 81),
    ("Some_Other_Document.txt", 0b0000110000100111, 8, 50),
)

#: Sections 3.3.3 and 3.6: files of the article's repository, rows of its view of similar pairs, and
#: all pairs of those files.
FILES_OF_2014, VIEW_ROWS, VIEW_PAIRS = 1_279, 21_864, 817_281
