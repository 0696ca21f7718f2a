"""The table of options: the allowed values and the meaning of every option.

``find(resemblance=...)`` and ``ilk scan --resemblance`` are one entry. The table feeds the checks,
the parsers, the help and ``docs/reference/options.md``; defaults are here and nowhere else. The
options of a fingerprint are in ``ilk.fingerprints.recipe_options``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ilk.base.kinds import Choice, Flag, Kind, Seconds, Share, Size, Text, Whole

#: The share that ``same_site`` and ``containment`` have if only the word is given.
STRICTER, SAME_SITE = "stricter", 0.9

#: The largest share of wrong characters in a search for noisy copies.
NOISIEST = Fraction(1, 10)

#: The policy that prefers what was there first, for files.
ORIGINAL = "original"

#: Policies of ``keep``, and what each means.
POLICIES = {
    ORIGINAL: "not a copy by its name; among those the shallowest, the oldest, the first",
    "first": "the first in source order",
    "last": "the last in source order",
    "longest": "the one with the most text",
    "shortest": "the one with the least text",
    "newest": "the one modified last",
    "oldest": "the one modified first",
    "central": "the one with the greatest sum of resemblances in its family",
    "prefer:PATTERN": "one whose name or path matches the glob, as for --exclude",
}

#: Policies over a column of a data set, since its rows have no modification time.
COLUMN_POLICIES = {
    "newest:COLUMN": "the latest time in that column",
    "oldest:COLUMN": "the earliest time in that column",
    "max:COLUMN": "the largest number in that column",
    "min:COLUMN": "the smallest number in that column",
}

#: Policies that need a column of times for a data set.
TIMES = ("newest", "oldest")

#: Ways to get the text of pages.
EXTRACTS = {
    "none": "the page as it is, with its tags",
    "all": "all text without tags",
    "fast": "the main text",
    "quality": "the main text with fewer mistakes, at a fifth of the speed",
}


#: The ways to write the bits of a fingerprint, most significant first.
FORMS = ("hex", "bits", "unsigned", "signed")


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        kind: its allowed values.
        help: what it means.
        default: the default; None if that depends on other options.
        metavar: the name of a value in help; that of the kind by default.
        repeated: whether a command accepts it several times.
        const: the value if a command has only the word; None if it needs a value.
        said: the default in words, if it is not ``default``.
        aliases: other names that a command accepts, not used by functions.
        required: whether a command needs it.
        part: the option of a command that it is a part of, and its name there: ``--limit
            memory=2GB``; None if commands have it by itself.
        usual: whether ``-h`` shows it; ``--help`` shows every option.
    """

    kind: Kind
    help: str
    default: Any = None
    metavar: str | None = None
    repeated: bool = False
    const: Any = None
    said: str | None = None
    aliases: tuple[str, ...] = ()
    required: bool = False
    part: tuple[str, str] | None = None
    usual: bool = False

    def __post_init__(self) -> None:
        """Name values as their kind does, if no other name is given; a switch is off."""
        if self.metavar is None:
            object.__setattr__(self, "metavar", self.kind.metavar)
        if isinstance(self.kind, Flag):
            object.__setattr__(self, "default", bool(self.default))

    @property
    def described(self) -> str:
        """Return the help with the default."""
        said = self.said
        if said is None and self.default is not None and not isinstance(self.kind, Flag):
            said = self.kind.written(self.default)
        return self.help if not said else f"{self.help} (default: {said})"


def policies(*, columns: bool) -> str:
    """Return the policies of ``keep`` and their meanings; for rows, also those over columns."""
    known = POLICIES | COLUMN_POLICIES if columns else POLICIES
    fitting = {name: what for name, what in known.items() if not (columns and name in TIMES)}
    return "; ".join(f"{name}: {what}" for name, what in fitting.items())


_EXTRACTS = "; ".join(f"{name}: {what}" for name, what in EXTRACTS.items())
_FORMATS = ("table", "jsonl", "csv", "parquet")

#: What is read.
READING = {
    "text": Option(
        Text(),
        "the column of texts in files of rows; in JSON, dots reach into objects; if repeated, the"
        " columns are joined",
        "text",
        "NAME",
        repeated=True,
        usual=True,
    ),
    "id": Option(
        Text(),
        "the column of ids in files of rows",
        metavar="NAME",
        said="id, if there is one",
    ),
    "encoding": Option(
        Text(),
        "the encoding of CSV files, and of plain files that are not UTF-8, such as cp1252; kept "
        "rows are written in UTF-8",
        metavar="NAME",
        said="UTF-8 for CSV; other plain files are examined",
        part=("extract", "encoding"),
    ),
    "rows": Option(
        Flag(),
        "also in folders, read files of rows and web archives row by row",
        part=("walk", "rows"),
    ),
    "include": Option(
        Text(),
        "in folders, read only files whose name or path matches, such as '*.txt'; repeatable",
        metavar="GLOB",
        repeated=True,
        usual=True,
    ),
    "exclude": Option(
        Text(),
        "skip files and folders whose name or path matches; repeatable",
        metavar="GLOB",
        repeated=True,
        usual=True,
    ),
    "files_from": Option(
        Text(),
        "also read the files and folders that this file lists, one per line, or each followed by a "
        "NUL (-: standard input)",
        metavar="FILE",
    ),
    "convert": Option(
        Text(),
        "for files with this extension, run a program of yours and read the text it prints, such "
        "as 'pdf=pdftotext {} -'; repeatable",
        metavar="EXT=COMMAND",
        repeated=True,
    ),
    "convert_timeout": Option(
        Seconds(),
        "the time limit for reading one document, by a program or by ilk itself",
        60.0,
        part=("limit", "timeout"),
    ),
    "extract": Option(
        Choice(tuple(EXTRACTS)),
        f"how to get the text of HTML, in files and in rows ({_EXTRACTS}; needs the extra `pages`)",
        "none",
        usual=True,
    ),
    "files_in": Option(
        Text(), "the column of paths: compare each row by the text of its file", metavar="COLUMN"
    ),
    "cache": Option(
        Text(),
        "cache the texts of PDF and other formats there, so that each is extracted only once; "
        "`none`: no cache",
        metavar="DIR",
        said="STORE.texts beside a store, `texts` in the folder of --work; else none",
        part=("extract", "cache"),
    ),
    "ocr": Option(
        Text(),
        "for PDF pages that are images, run a program of yours and read the text it prints, such "
        "as 'tesseract {} -'",
        metavar="COMMAND",
        part=("extract", "ocr"),
    ),
    "replies": Option(
        Choice(("keep", "drop")),
        "keep or drop the quotations in messages, and signatures",
        "keep",
        part=("extract", "replies"),
    ),
    "links": Option(
        Flag(),
        "follow symbolic links in folders, also to files and folders outside of them",
        part=("walk", "links"),
    ),
    "gitignore": Option(
        Flag(),
        "leave out what a .gitignore excludes, as an .ilkignore always does",
        part=("walk", "gitignore"),
    ),
    "limit_memory": Option(
        Size(),
        "the most memory that reading one document may use",
        2_000_000_000,
        part=("limit", "memory"),
    ),
    "limit_text": Option(
        Size(), "the largest text that one document may have", 200_000_000, part=("limit", "text")
    ),
    "limit_unpacked": Option(
        Size(),
        "the most that one file, with everything in it, may unpack to",
        10_000_000_000,
        part=("limit", "unpacked"),
    ),
    "limit_ratio": Option(
        Whole(1),
        "the most that a file may unpack to, as a multiple of its size, beyond 16 MB",
        200,
        part=("limit", "ratio"),
    ),
    "limit_nesting": Option(
        Whole(1, 100),
        "how deep archives, and documents in documents, may be nested",
        8,
        part=("limit", "nesting"),
    ),
    "url": Option(Text(), "the column of URLs", "url", "NAME", usual=True),
    "date": Option(
        Text(),
        "the column of times",
        metavar="NAME",
        said="date, if there is one; else the order of reading",
    ),
}

#: What is looked for.
SOUGHT = {
    "resemblance": Option(
        Share(),
        "the least share of shingles that near-duplicates have in common, verified on the texts",
        0.8,
        aliases=("threshold",),
        usual=True,
    ),
    "containment": Option(
        Share(),
        "also report a document if at least this share of it is in another one",
        const=0.95,
        said="not looked for; 0.95 if no value is given",
        usual=True,
    ),
    "radius": Option(
        Whole(0, 128, "bits"),
        "compare only pairs whose fingerprints differ in at most this many bits",
        metavar="BITS",
        part=("fingerprint", "radius"),
    ),
    "similarity": Option(
        Share(above=False),
        "the same as a radius, as a share of equal bits, such as 90%",
        part=("fingerprint", "similarity"),
    ),
    "unverified": Option(
        Flag(),
        "also show pairs within the radius that are below --resemblance, with the "
        "verdict `within N bits`",
        part=("fingerprint", "unverified"),
    ),
    "shingle": Option(Whole(1, 64, "words"), "words per shingle", 3, "WORDS"),
    "common_blocks": Option(
        Whole(1, unit="documents"),
        "ignore paragraphs and lines that more than N documents share, such as those of a "
        "template; they are listed",
        part=("limit", "blocks"),
    ),
    "same_site": Option(
        Text(),
        "the resemblance that two documents of one site need, since both contain its template: a "
        "share, or "
        f"`{STRICTER}` for {SAME_SITE}; the site is the host of an id that is a URL, or else the "
        "first folder below the path",
        metavar="SHARE",
    ),
    "pairing": Option(
        Choice(("exact", "fingerprint")),
        "exact: join the shingle sets and miss nothing; fingerprint: find candidates by "
        "fingerprint, then verify them",
        said="exact",
        part=("fingerprint", "pairing"),
    ),
    "recall": Option(
        Share(),
        "the share of the near-duplicates to find by fingerprint; it decides the radius",
        0.99,
        part=("fingerprint", "recall"),
    ),
    "linkage": Option(
        Choice(("anchored", "connected")),
        "anchored: every member is like its keeper; connected: every member is like some other "
        "member",
        "anchored",
    ),
    "noise": Option(
        Share(most=NOISIEST),
        "also find scanned, retyped or transcribed copies in which up to this share of the "
        "characters is wrong; at most 10%",
        const=0.05,
        said="not looked for; 0.05 if no value is given",
        usual=True,
    ),
    "keep": Option(
        Text(),
        f"which document of a cluster stays ({policies(columns=False)}); if repeated, the first "
        "one that decides",
        "first",
        "POLICY",
        repeated=True,
        usual=True,
    ),
    "keep_numbers_only": Option(Flag(), "keep rows that differ from the keeper only in numbers"),
    "max_pairs": Option(
        Whole(0, (1 << 63) - 1, "pairs"),
        "stop with an error if there are more pairs than this",
        100_000_000,
        part=("limit", "pairs"),
    ),
    "exact": Option(
        Flag(), "find only texts that are equal except for case and white space", usual=True
    ),
    "key": Option(
        Text(), "find only rows with equal values in this column", metavar="COLUMN", usual=True
    ),
    "against": Option(
        Text(),
        "also drop rows that are like a row of this data set; repeatable",
        metavar="OTHER",
        repeated=True,
        usual=True,
    ),
    "alarm_documents": Option(
        Whole(0, unit="documents"),
        "raise an alarm if a cluster of near-duplicates has more documents than this, and more "
        "than `share` of all",
        1_000,
        part=("alarm", "documents"),
    ),
    "alarm_share": Option(
        Share(above=False),
        "raise that alarm only above this share of all documents",
        0.05,
        part=("alarm", "share"),
    ),
    "alarm_loss": Option(
        Share(above=False),
        "raise an alarm if a source loses more than this share of its rows to near-duplicates",
        0.5,
        part=("alarm", "loss"),
    ),
    "least": Option(Whole(1, unit="pages"), "the least number of different pages in a mirror", 3),
    "max_hosts": Option(
        Whole(2, unit="hosts"),
        "ignore contents and paths that are on more hosts than this; the report counts them",
        50,
        part=("limit", "hosts"),
    ),
    "words": Option(
        Whole(1, (1 << 32) - 1, "words"), "the least number of words in a passage", 50, usual=True
    ),
    "across": Option(
        Text(),
        "count only passages in documents of different groups: `source` (files), `folder`, or a "
        "column of rows, such as an author",
        metavar="WHAT",
        said="any two places count, even in one document",
        usual=True,
    ),
    "drop": Option(
        Share(), "drop a row if more than this share of its words is in passages of rows that stay"
    ),
    "among": Option(
        Flag(),
        "with --against and --containment, also count words that are only in another document of "
        "PATH",
    ),
    "min_words": Option(
        Whole(1, (1 << 32) - 1, "words"),
        "the least number of words in a shared passage",
        5,
        part=("limit", "words"),
    ),
}

#: What is measured.
MEASURING = {
    "labels": Option(
        Text(),
        "pairs that you have labelled: two names and 1 (the same) or 0 (different), separated by "
        "tabs; `scan` and `dedup` never group pairs labelled different",
        metavar="TSV",
    ),
    "copies": Option(
        Whole(0, (1 << 53) - 1, "copies"), "the number of edited copies to make", 2_400, usual=True
    ),
    "pairs_sample": Option(
        Whole(0, (1 << 53) - 1, "pairs"), "the number of pairs to draw at random", 100_000
    ),
    "seed": Option(Whole(0, (1 << 53) - 1), "the seed of random choices", 0),
}

#: How fingerprints are made; ``ilk.fingerprints`` reads these.
FINGERPRINTS = {
    "recipe": Option(
        Text(),
        "how fingerprints are made: a recipe, or its name",
        metavar="RECIPE",
        part=("fingerprint", "recipe"),
        usual=True,
    ),
    "weights": Option(
        Text(),
        "also weight features by this table, made by `ilk weights build`",
        metavar="FILE",
        part=("fingerprint", "weights"),
    ),
    "secret": Option(
        Text(),
        "the secret key for recipes with siphash: a file of 16 bytes",
        metavar="FILE",
        part=("fingerprint", "secret"),
    ),
}

#: How it runs.
RUNNING = {
    "jobs": Option(Whole(1, 1 << 16, "threads"), "threads", said="one per processor"),
    "memory": Option(
        Size(),
        "the most memory that the process may use, such as 2GB (kept to within some 60 MB; beyond "
        "a million rows, up to 100 bytes a row more); sets that do not fit go to temporary files, "
        "and the result is the same",
        said="half of the free memory",
    ),
    "work": Option(
        Text(),
        "the folder for working files, from which an interrupted run resumes",
        metavar="DIR",
        said="in OUT.ilk",
    ),
    "engine": Option(
        Choice(("machine", "spark")),
        "run on this machine, or on Apache Spark (needs the package ilk-spark); the answers are "
        "the same",
        "machine",
    ),
    "master": Option(
        Text(),
        "the master, such as local[4] or spark://HOST:7077",
        metavar="URL",
        said="that of `spark-submit`, or all processors here",
        part=("engine", "master"),
    ),
    "partitions": Option(
        Whole(1, (1 << 31) - 1, "tasks"),
        "the least number of tasks per step",
        said="one per processor",
        part=("engine", "partitions"),
    ),
    "order_by": Option(
        Text(),
        "the column to order rows by, since files have no order there; if repeated, later columns "
        "break ties",
        metavar="COLUMN",
        repeated=True,
        said="the id",
        part=("engine", "order-by"),
    ),
    "batch": Option(Whole(1, unit="rows"), "rows per transaction", 2000, "ROWS"),
    "strict": Option(Flag(), "end with exit code 2 if any file could not be read"),
    "quiet": Option(Flag(), "print no progress and no notes on stderr", usual=True),
}

#: Where results go.
OUTPUT = {
    "output": Option(
        Text(),
        "write to this file instead of standard output; without --format, its extension chooses "
        "the format",
        metavar="FILE",
        usual=True,
    ),
    "format": Option(Choice(_FORMATS), "the format of the results", "table", usual=True),
    "pairs": Option(Flag(), "every pair instead of the clusters", part=("format", "pairs")),
    "flat": Option(
        Flag(), "as JSON lines: one duplicate per line, with its keeper", part=("format", "flat")
    ),
    "print0": Option(
        Flag(),
        "only the names of the files that a plan would drop, each followed by a NUL",
        part=("format", "print0"),
    ),
    "sort": Option(
        Choice(("size", "bytes", "name")),
        "order families by the number of documents, by their bytes besides the keepers, or by the "
        "name of their first document",
        said="size in a table and with --top; else the order of the documents",
    ),
    "top": Option(Whole(0, unit="families"), "show only the first N families", usual=True),
    "summary": Option(
        Flag(), "only the summary, as text or as JSON lines", part=("format", "summary")
    ),
    "expect_none": Option(
        Flag(), "end with 0 if nothing was found, and 1 if something was: for hooks"
    ),
    "plan": Option(Text(), "write what would happen, for `ilk apply`", metavar="DIR", usual=True),
    "report": Option(
        Text(), "also write an HTML page to read; it needs no network", metavar="FILE", usual=True
    ),
    "report_families": Option(
        Whole(0, unit="families"),
        "how many families the page of --report shows with their texts, largest first; others are "
        "in a table",
        100,
        part=("limit", "families"),
    ),
    "report_members": Option(
        Whole(0, unit="members"),
        "how many members of a family that page shows with their differences; others are only "
        "named",
        10,
        part=("limit", "members"),
    ),
    "cut": Option(Flag(), "write the texts with each passage only at its first place"),
    "quotations": Option(
        Choice(("cut", "keep")),
        "cut passages in quotation marks, or after `>`, or keep and only report them",
        "cut",
    ),
    "diff": Option(Flag(), "show what differs, word by word, and what moved", usual=True),
    "html": Option(
        Text(),
        "write an HTML page with both texts side by side; it needs no network",
        metavar="FILE",
        usual=True,
    ),
    "annotate": Option(
        Flag(), "write all rows, with columns that name the cluster and the verdict"
    ),
    "accept_alarm": Option(Flag(), "write the output despite an alarm"),
    "force": Option(Flag(), "replace existing output"),
    "config": Option(
        Text(),
        "take options from this file; `none`: from no file",
        metavar="FILE",
        said="ilk.toml in the working folder, if it exists",
    ),
    "color": Option(
        Choice(("auto", "always", "never")),
        "use colours; auto: on a terminal, unless NO_COLOR is set",
        "auto",
    ),
}

#: What to do with files.
ACTING = {
    "move_to": Option(
        Text(), "move the files to drop there, with their folders", metavar="DIR", usual=True
    ),
    "trash": Option(Flag(), "move the files to drop to the desktop's trash", usual=True),
    "hardlink": Option(
        Flag(), "replace identical files by hard links to their keepers", usual=True
    ),
    "symlink": Option(Flag(), "replace identical files by symbolic links to their keepers"),
    "formats": Option(
        Flag(),
        "those that are like one of another format, such as the PDF of a Word file",
        part=("also_drop", "formats"),
    ),
    "empty": Option(Flag(), "empty files but one", part=("also_drop", "empty")),
    "script": Option(
        Choice(("sh",)), "print a script that does the same, and touch nothing", metavar="sh"
    ),
    "only": Option(
        Text(),
        "only members with these verdicts, separated by commas, such as identical,exact",
        metavar="VERDICTS",
        usual=True,
    ),
    "yes": Option(Flag(), "do it; without this, only show what would be done", usual=True),
}

#: How a store is served.
SERVICE = {
    "host": Option(
        Text(),
        "the address to listen on; for access from other machines, use a proxy with TLS",
        "127.0.0.1",
        "ADDRESS",
        usual=True,
    ),
    "port": Option(
        Whole(0, 65_535),
        "the port to listen on; 0 chooses a free one",
        8017,
        "PORT",
        said="8017",
        usual=True,
    ),
    "allow_host": Option(
        Text(),
        "a host name by which clients may reach the service, such as the proxy's; repeatable",
        metavar="NAME",
        repeated=True,
        said="localhost and the address it listens on",
    ),
    "add_token": Option(
        Choice(("read", "write", "admin")),
        "create another token, print it, and end: read may query; write may also add and change "
        "documents; admin may also remove them",
    ),
    "limit_body": Option(
        Size(),
        "the most that one request may send; of JSON, and in a line of a batch, an eighth",
        64_000_000,
        part=("limit", "body"),
    ),
    "limit_seconds": Option(
        Seconds(),
        "the time limit for a body to arrive, and for an answer to be ready",
        30.0,
        part=("limit", "seconds"),
    ),
    "limit_requests": Option(
        Whole(1, 1 << 16, "requests"),
        "answer 503 if more requests than this are waiting",
        256,
        part=("limit", "requests"),
    ),
}

#: Every option by its name.
OPTIONS: dict[str, Option] = {
    **READING,
    **SOUGHT,
    **MEASURING,
    **FINGERPRINTS,
    **RUNNING,
    **OUTPUT,
    **ACTING,
    **SERVICE,
}


#: Options of commands that consist of parts: of the options above whose ``part`` names them.
GROUPS = {
    "limit": Option(Text(), "limits, separated by commas", metavar="NAME=VALUE", repeated=True),
    "fingerprint": Option(
        Text(),
        "find candidates by fingerprint, then verify them; or only some of this, separated by "
        "commas",
        metavar="NAME=VALUE",
        repeated=True,
        const="pairing=fingerprint",
    ),
    "walk": Option(
        Text(), "how folders are read, separated by commas", metavar="NAME", repeated=True
    ),
    "also_drop": Option(
        Text(),
        "documents that a plan drops too, separated by commas",
        metavar="NAME",
        repeated=True,
    ),
    "alarm": Option(
        Text(), "when to raise an alarm, separated by commas", metavar="NAME=VALUE", repeated=True
    ),
}


#: The least containment if only the word is given.
CONTAINMENT: float = OPTIONS["containment"].const


def default(name: str) -> Any:
    """Return the default of an option."""
    return OPTIONS[name].default


def checked(name: str, value: Any) -> Any:
    """Return the value of an option as the library uses it; None means the default.

    Raises:
        OptionError: the value is not allowed.
    """
    option = OPTIONS[name]
    value = option.default if value is None else value
    return None if value is None else option.kind.check(name, value)
