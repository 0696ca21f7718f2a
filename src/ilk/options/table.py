"""The table of options: what every option of a function or a command may be, and what it means.

``find(resemblance=...)`` and ``ilk scan --resemblance`` are one entry. It feeds the checks, the
parsers, the help and ``docs/reference/options.md``; a default stands here and nowhere else. The
options of a fingerprint are in ``ilk.recipes.options``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ilk.options.kinds import Choice, Flag, Kind, Seconds, Share, Size, Text, Whole

#: A share of itself, as ``same_site`` and ``containment`` have it where only the word is given.
STRICTER, SAME_SITE = "stricter", 0.9

#: Policies of ``keep``, and what each says.
POLICIES = {
    "first": "the first in source order",
    "last": "the last in source order",
    "longest": "the one with most text",
    "shortest": "the one with least text",
    "newest": "the one modified last",
    "oldest": "the one modified first",
    "prefer:PATTERN": "those whose source, or its last part, matches the glob",
}

#: Those over a column of a data set; its rows have no time of their own.
COLUMN_POLICIES = {
    "newest:COLUMN": "the latest time in that column",
    "oldest:COLUMN": "the earliest time in that column",
    "max:COLUMN": "the largest number in that column",
    "min:COLUMN": "the smallest number in that column",
}

#: Policies that, of a data set, take a column of times.
TIMES = ("newest", "oldest")

#: How text is made of pages.
EXTRACTS = {
    "none": "the page as it is, with its tags",
    "all": "all text without tags",
    "fast": "the main text",
    "quality": "the main text with fewer mistakes, at a fifth of the speed",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        kind: what it may be.
        help: what it means.
        default: what holds where nothing is said; None where that depends on other options.
        metavar: what a value is called in help.
        repeated: whether a command takes it several times.
        const: what holds where a command says only the word; None where it needs a value.
        said: the default in words, where it is not ``default``.
    """

    kind: Kind
    help: str
    default: Any = None
    metavar: str | None = None
    repeated: bool = False
    const: Any = None
    said: str | None = None

    @property
    def described(self) -> str:
        """Return the help with the default."""
        said = self.said
        if said is None and self.default is not None and not isinstance(self.kind, Flag):
            said = f"{self.default:,}" if isinstance(self.default, int) else f"{self.default}"
        return self.help if not said else f"{self.help} (default: {said})"


def policies(*, columns: bool) -> str:
    """Return the policies of ``keep`` and what they say; of rows, those over columns too."""
    known = POLICIES | COLUMN_POLICIES if columns else POLICIES
    fitting = {name: what for name, what in known.items() if not (columns and name in TIMES)}
    return "; ".join(f"{name}: {what}" for name, what in fitting.items())


_EXTRACTS = "; ".join(f"{name}: {what}" for name, what in EXTRACTS.items())
_FORMATS = ("table", "jsonl", "csv", "parquet")

#: What is read.
READING = {
    "text": Option(
        Text(),
        "the column of texts in files of rows, in JSON with dots into objects; if repeated, the "
        "columns are put together",
        "text",
        "NAME",
        repeated=True,
    ),
    "id": Option(
        Text(),
        "the column of ids in files of rows",
        metavar="NAME",
        said="id, where there is one",
    ),
    "include": Option(
        Text(),
        "read only files in folders whose name or path matches, such as '*.txt'; repeatable",
        metavar="GLOB",
        repeated=True,
    ),
    "exclude": Option(
        Text(),
        "leave out files and folders whose name or path matches; repeatable",
        metavar="GLOB",
        repeated=True,
    ),
    "convert": Option(
        Text(),
        "run a program of yours on files of an extension and read the text it prints, such as "
        "'pdf=pdftotext {} -'; repeatable",
        metavar="EXT=COMMAND",
        repeated=True,
    ),
    "convert_timeout": Option(
        Seconds(),
        "the most that a program of --convert, or --extract, may take for one text",
        60.0,
        "SECONDS",
        said="60",
    ),
    "extract": Option(
        Choice(tuple(EXTRACTS)),
        f"how text is made of files, and of texts in rows, in HTML ({_EXTRACTS}; needs the extra "
        "`pages`)",
        "none",
    ),
    "url": Option(Text(), "the column of URLs", "url", "NAME"),
    "date": Option(
        Text(),
        "the column of times",
        metavar="NAME",
        said="date, where there is one; else the order of reading",
    ),
}

#: What is looked for.
SOUGHT = {
    "resemblance": Option(
        Share(),
        "the least share of all their shingles that near-duplicates have in common, verified on "
        "the texts",
        0.8,
        "SHARE",
    ),
    "containment": Option(
        Share(),
        "also report documents that stand in another by at least this share",
        metavar="SHARE",
        const=0.95,
        said="not looked for; 0.95 where only the word is given",
    ),
    "radius": Option(
        Whole(0, 128, "bits"),
        "take pairs whose fingerprints differ in at most this many bits; without --resemblance, "
        "all of them",
        metavar="BITS",
    ),
    "similarity": Option(
        Share(above=False), "the same as a share of equal bits, such as 90%", metavar="SHARE"
    ),
    "shingle": Option(Whole(1, 64, "words"), "words per shingle", 3, "WORDS"),
    "common_blocks": Option(
        Whole(1, unit="documents"),
        "leave out of the comparison the paragraphs and lines that recur in more than N "
        "documents, such as a template's; they are listed",
        metavar="N",
    ),
    "same_site": Option(
        Text(),
        "what two documents of one site must share, since its template is in both: a share, or "
        f"`{STRICTER}` for {SAME_SITE}; the site is the host of an id that is a URL, or else the "
        "first folder below the path",
        metavar="SHARE",
    ),
    "pairing": Option(
        Choice(("exact", "fingerprint")),
        "exact: join the shingle sets, nothing is missed; fingerprint: nominate by fingerprint, "
        "then verify",
        said="exact, while the sets fit in --memory",
    ),
    "recall": Option(
        Share(),
        "the share of the near-duplicates that fingerprints are to nominate; the radius follows "
        "from it",
        0.99,
        "SHARE",
    ),
    "calibration": Option(
        Text(),
        "nominate by fingerprint, with the recipe and within the radius of this calibration: the "
        "file NAME.ilk-calibration.json in the working folder, or a path (see `ilk calibrate`)",
        metavar="NAME_OR_FILE",
    ),
    "linkage": Option(
        Choice(("anchored", "connected")),
        "anchored: every member is like its keeper; connected: like some other member",
        "anchored",
    ),
    "keep": Option(
        Text(),
        f"which document of a cluster stays ({policies(columns=False)}); if repeated, the first "
        "one that decides",
        "first",
        "POLICY",
        repeated=True,
    ),
    "max_pairs": Option(
        Whole(0, (1 << 63) - 1, "pairs"), "refuse to find more pairs than this", 100_000_000, "N"
    ),
    "exact": Option(Flag(), "only equal texts, but for case and white space", False),
    "key": Option(Text(), "only equal values in this column", metavar="COLUMN"),
    "against": Option(
        Text(),
        "also drop what is like a row of this data set; repeatable",
        metavar="OTHER",
        repeated=True,
    ),
    "alarm_documents": Option(
        Whole(0, unit="documents"),
        "a near cluster of more documents than this, and of more than --alarm-share, raises the "
        "alarm",
        1_000,
        "N",
    ),
    "alarm_share": Option(Share(above=False), "of all documents", 0.05, "SHARE"),
    "alarm_loss": Option(
        Share(above=False),
        "a source that loses more than this share of its rows to near-duplicates raises the alarm",
        0.5,
        "SHARE",
    ),
    "least": Option(
        Whole(1, unit="pages"), "the least number of different pages that make a mirror", 3, "N"
    ),
    "max_hosts": Option(
        Whole(2, unit="hosts"),
        "contents and paths on more hosts nominate none of them; they are counted",
        50,
        "N",
    ),
    "min_words": Option(
        Whole(1, (1 << 32) - 1, "words"), "words that a shared run needs to be a passage", 8, "N"
    ),
}

#: What is measured.
MEASURING = {
    "probe": Option(
        Whole(1, unit="copies"),
        "look for N edited copies of the documents too, and report which share of them was found, "
        "by kind and share of edit; nothing else knows of them",
        metavar="N",
    ),
    "labels": Option(Text(), "pairs that you have labelled", metavar="TSV"),
    "copies": Option(
        Whole(0, (1 << 53) - 1, "copies"), "edited copies to make of the documents", 2_400, "N"
    ),
    "pairs_sample": Option(
        Whole(0, (1 << 53) - 1, "pairs"), "pairs to draw at random", 100_000, "N"
    ),
    "seed": Option(Whole(0, (1 << 53) - 1), "decides what is drawn", 0, "N", said="0"),
}

#: How fingerprints are made; ``ilk.recipes`` reads these.
FINGERPRINTS = {
    "recipe": Option(
        Text(), "how fingerprints are made: a recipe, or the name of one", metavar="RECIPE"
    ),
    "weights": Option(
        Text(), "weigh features by this table too, made by `ilk weights build`", metavar="FILE"
    ),
    "secret": Option(
        Text(), "the secret key of a recipe of siphash: a file of 16 bytes", metavar="FILE"
    ),
}

#: How it runs.
RUNNING = {
    "jobs": Option(Whole(1, unit="threads"), "threads", metavar="N", said="one per processor"),
    "memory": Option(
        Size(),
        "the most memory to use, such as 2GB",
        metavar="SIZE",
        said="half of what is free",
    ),
    "work": Option(
        Text(),
        "working files, from which an interrupted run resumes",
        metavar="DIR",
        said="in OUT.ilk",
    ),
    "strict": Option(Flag(), "end with exit code 2 if any file could not be read", False),
    "quiet": Option(Flag(), "no progress and no notes on stderr", False),
}

#: Where results go.
OUTPUT = {
    "output": Option(Text(), "write there instead of on stdout", metavar="FILE"),
    "format": Option(Choice(_FORMATS), "how results are written", "table"),
    "pairs": Option(Flag(), "print every pair instead of the clusters", False),
    "plan": Option(Text(), "write what would happen, for `ilk apply`", metavar="DIR"),
    "annotate": Option(
        Flag(), "write all rows, with columns that name the cluster and the verdict", False
    ),
    "accept_alarm": Option(Flag(), "write in spite of an alarm", False),
    "force": Option(Flag(), "replace what is there", False),
}

#: Every option by its name.
OPTIONS: dict[str, Option] = {
    **READING,
    **SOUGHT,
    **MEASURING,
    **FINGERPRINTS,
    **RUNNING,
    **OUTPUT,
}


#: The least containment, where only the word is given.
CONTAINMENT: float = OPTIONS["containment"].const


def default(name: str) -> Any:
    """Return what holds where nothing is said."""
    return OPTIONS[name].default


def checked(name: str, value: Any) -> Any:
    """Return the value of an option as the library uses it; None stands for the default.

    Raises:
        OptionError: the value is not allowed.
    """
    option = OPTIONS[name]
    value = option.default if value is None else value
    return None if value is None else option.kind.check(name, value)
