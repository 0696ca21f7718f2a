"""The table of options: what every option of a function or a command may be, and what it means.

``find(resemblance=...)`` and ``ilk scan --resemblance`` are one entry. It feeds the checks, the
parsers, the help and ``docs/reference/options.md``; a default stands here and nowhere else. The
options of a fingerprint are in ``ilk.recipes.options``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ilk.options.kinds import Choice, Flag, Kind, Seconds, Share, Size, Text, Whole

#: A share of itself, as ``same_site`` and ``containment`` have it where only the word is given.
STRICTER, SAME_SITE = "stricter", 0.9

#: The largest share of wrong characters that noisy copies are looked for with.
NOISIEST = Fraction(1, 10)

#: Policies of ``keep``, and what each says.
POLICIES = {
    "first": "the first in source order",
    "last": "the last in source order",
    "longest": "the one with most text",
    "shortest": "the one with least text",
    "newest": "the one modified last",
    "oldest": "the one modified first",
    "central": "the one with the greatest sum of resemblances in its family",
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
        default: what holds by default; None where that depends on other options.
        metavar: what a value is called in help.
        repeated: whether a command takes it several times.
        const: what holds where a command says only the word; None where it needs a value.
        said: the default in words, where it is not ``default``.
        aliases: other names that a command takes for it, never shown by a function.
        required: whether a command must be given it.
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
    "encoding": Option(
        Text(),
        "the encoding of files of CSV, such as cp1252; kept rows are written in UTF-8",
        metavar="NAME",
        said="UTF-8",
    ),
    "rows": Option(
        Flag(), "read the rows of files of rows, and the pages of archives, in folders too", False
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
    "files_from": Option(
        Text(),
        "also read the files and folders that this file names, one a line (-: standard input)",
        metavar="FILE",
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
        "the most that a program of --convert, --extract, or reading a document that is no plain "
        "text, may take",
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
    "files_in": Option(
        Text(),
        "the column that holds paths of files, whose texts are those of the rows",
        metavar="COLUMN",
    ),
    "cache": Option(
        Text(),
        "keep the texts of documents that are no plain text there, so that none is made twice; "
        "`none` keeps none",
        metavar="DIR",
        said="STORE.texts beside a store, `texts` in a folder of --work; else none",
    ),
    "ocr": Option(
        Text(),
        "run a program of yours on the pages of PDF that are images, and read the text it prints, "
        "such as 'tesseract {} -'",
        metavar="COMMAND",
    ),
    "replies": Option(
        Choice(("keep", "drop")),
        "whether what messages quote stays in their texts, and what stands below their signatures",
        "keep",
    ),
    "limit_memory": Option(
        Size(),
        "the most memory that reading one document may take",
        2_000_000_000,
        "SIZE",
        said="2GB",
    ),
    "limit_text": Option(
        Size(), "the longest text that is taken of one document", 200_000_000, "SIZE", said="200MB"
    ),
    "limit_unpacked": Option(
        Size(),
        "the most that one file may unpack to, with all that is in it",
        10_000_000_000,
        "SIZE",
        said="10GB",
    ),
    "limit_ratio": Option(
        Whole(1),
        "the most times its own size that a file may unpack to, where that is over 16 MB",
        200,
        "N",
    ),
    "limit_nesting": Option(
        Whole(1, 100), "how deep documents may stand in documents, as in archives", 8, "N"
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
        aliases=("threshold",),
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
        "look only at pairs whose fingerprints differ in at most this many bits",
        metavar="BITS",
    ),
    "similarity": Option(
        Share(above=False), "the same as a share of equal bits, such as 90%", metavar="SHARE"
    ),
    "unverified": Option(
        Flag(),
        "show pairs within --radius or --similarity that are less alike than --resemblance too; "
        "they are called `within N bits`",
        False,
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
        said="exact",
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
    "noise": Option(
        Share(most=NOISIEST),
        "also find noisy copies, scanned, retyped or transcribed, in which up to this share of the "
        "characters is wrong; at most 10%",
        metavar="SHARE",
        const=0.05,
        said="not looked for; 0.05 where only the word is given",
    ),
    "keep": Option(
        Text(),
        f"which document of a cluster stays ({policies(columns=False)}); if repeated, the first "
        "one that decides",
        "first",
        "POLICY",
        repeated=True,
    ),
    "keep_numbers_only": Option(
        Flag(), "keep rows that differ from the row that stays in numbers alone", False
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
    "words": Option(
        Whole(1, (1 << 32) - 1, "words"), "the least number of words of a passage", 50, "N"
    ),
    "across": Option(
        Text(),
        "count only what stands in documents of different groups: `source` (files), `folder`, or a "
        "column of rows, such as an author",
        metavar="WHAT",
        said="every two places count, in one document too",
    ),
    "approximate": Option(
        Whole(1, 100, "words"),
        "follow every passage over interruptions of at most this many changed words; exact runs "
        "of --words are where it begins",
        metavar="K",
    ),
    "drop": Option(
        Share(),
        "leave out a row if more than this share of its words stands in passages of rows that stay",
        metavar="SHARE",
    ),
    "min_words": Option(
        Whole(1, (1 << 32) - 1, "words"), "words that a shared run needs to be a passage", 8, "N"
    ),
}

#: What is measured.
MEASURING = {
    "probe": Option(
        Whole(1, (1 << 53) - 1, "copies"),
        "look for N edited copies of the documents too, and report which share of them was found, "
        "by kind and share of edit; nothing else knows of them",
        metavar="N",
    ),
    "labels": Option(
        Text(),
        "pairs that you have labelled: two names and 1 (the same) or 0 (different), with tabs "
        "between; `scan` and `dedup` never put together what is different",
        metavar="TSV",
    ),
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
    "jobs": Option(Whole(1, 1 << 16, "threads"), "threads", metavar="N", said="one per processor"),
    "memory": Option(
        Size(),
        "the most memory that the process may hold, such as 2GB (kept to within some 60 MB; beyond "
        "a million rows, 200 bytes a row more); sets that do not fit stand in temporary files, and "
        "the result is the same",
        metavar="SIZE",
        said="half of what is free",
    ),
    "work": Option(
        Text(),
        "working files, from which an interrupted run resumes",
        metavar="DIR",
        said="in OUT.ilk",
    ),
    "engine": Option(
        Choice(("machine", "spark")),
        "where it runs: on this machine, or on Apache Spark (needs the extra `spark`), with the "
        "same answers",
        "machine",
    ),
    "master": Option(
        Text(),
        "where Spark runs, such as local[4] or spark://HOST:7077",
        metavar="URL",
        said="what `spark-submit` says, or all processors here",
    ),
    "partitions": Option(
        Whole(1, (1 << 31) - 1, "tasks"),
        "the least number of tasks of a step on Spark",
        metavar="N",
        said="one per processor",
    ),
    "order_by": Option(
        Text(),
        "on Spark, where files have no order: the column that says which row comes first; if "
        "repeated, the first that decides",
        metavar="COLUMN",
        repeated=True,
        said="the id",
    ),
    "strict": Option(Flag(), "end with exit code 2 if any file could not be read", False),
    "quiet": Option(Flag(), "no progress and no notes on stderr", False),
}

#: Where results go.
OUTPUT = {
    "output": Option(
        Text(),
        "write there instead of on standard output; the end of the name chooses the format where "
        "--format does not",
        metavar="FILE",
    ),
    "format": Option(Choice(_FORMATS), "how results are written", "table"),
    "pairs": Option(Flag(), "print every pair instead of the clusters", False),
    "flat": Option(
        Flag(), "with --format jsonl: one duplicate a line, each with its keeper", False
    ),
    "print0": Option(
        Flag(),
        "print only the names of the files that a plan would drop, each ended by a NUL, unless "
        "--format says otherwise; names in --files-from end so too",
        False,
    ),
    "sort": Option(
        Choice(("size", "name")),
        "the order of families: the largest first, or by the name of their first document",
        said="size in a table and with --top; else the order of the documents",
    ),
    "top": Option(Whole(0, unit="families"), "show only the first N families", metavar="N"),
    "summary": Option(Flag(), "print the summary alone", False),
    "expect_none": Option(
        Flag(),
        "end with 0 where nothing was found, and 1 where something was: for hooks",
        False,
    ),
    "plan": Option(Text(), "write what would happen, for `ilk apply`", metavar="DIR"),
    "report": Option(
        Text(),
        "write a page of HTML to read there too; it needs no network",
        metavar="FILE",
    ),
    "report_families": Option(
        Whole(0, unit="families"),
        "the largest families whose texts the page of --report shows; others are a table",
        100,
        "N",
    ),
    "report_members": Option(
        Whole(0, unit="members"),
        "members of a cluster for which that page shows what differs; others are named",
        10,
        "N",
    ),
    "cut": Option(Flag(), "write the texts without passages: each stays at its first place", False),
    "mark": Option(
        Text(), "what stands in the place of a passage that is cut", "", "TEXT", said="nothing"
    ),
    "quotations": Option(
        Choice(("cut", "keep")),
        "whether passages in quotation marks, or after `>`, are cut too, or only reported",
        "cut",
    ),
    "diff": Option(Flag(), "show what differs, word by word, and what has moved", False),
    "html": Option(
        Text(),
        "write both texts side by side there, as a page that needs no network",
        metavar="FILE",
    ),
    "annotate": Option(
        Flag(), "write all rows, with columns that name the cluster and the verdict", False
    ),
    "accept_alarm": Option(Flag(), "write in spite of an alarm", False),
    "force": Option(Flag(), "replace what is there", False),
    "color": Option(
        Choice(("auto", "always", "never")),
        "colours in what is shown; auto: on a terminal, unless NO_COLOR is set",
        "auto",
    ),
}

#: What happens to files.
ACTING = {
    "move_to": Option(
        Text(), "move the files that give way there, with the folders they stand in", metavar="DIR"
    ),
    "trash": Option(
        Flag(),
        "put the files that give way into the trash of the desktop (needs the extra `trash`)",
        False,
    ),
    "hardlink": Option(Flag(), "put hard links to the keepers in place of identical files", False),
    "symlink": Option(
        Flag(), "put symbolic links to the keepers in place of identical files", False
    ),
    "reflink": Option(
        Flag(),
        "let identical files share their bytes with the keepers, where the file system can",
        False,
    ),
    "script": Option(
        Choice(("sh",)), "print a script that does the same, and touch nothing", metavar="sh"
    ),
    "only": Option(
        Text(),
        "only members with these verdicts, with commas between, such as identical,exact",
        metavar="VERDICTS",
    ),
    "yes": Option(Flag(), "do it; without this, what would be done is shown", False),
}

#: How a store is served.
SERVICE = {
    "host": Option(
        Text(),
        "the address to listen on; beyond this machine only behind a proxy that speaks TLS",
        "127.0.0.1",
        "ADDRESS",
    ),
    "port": Option(
        Whole(0, 65_535),
        "the port to listen on; 0 takes a free one",
        8017,
        "PORT",
        said="8017",
    ),
    "allow_host": Option(
        Text(),
        "a name by which browsers and programs may reach it, such as that of the proxy; repeatable",
        metavar="NAME",
        repeated=True,
        said="localhost and the address it listens on",
    ),
    "add_token": Option(
        Choice(("read", "write", "admin")),
        "make one more token, print it, and end: read asks; write also adds and changes documents; "
        "admin also removes them",
    ),
    "limit_body": Option(
        Size(), "the most that one request, or one line of a batch, may send", "64MB", "SIZE"
    ),
    "limit_seconds": Option(
        Seconds(),
        "the most that a body may take to arrive, and an answer to be made",
        30.0,
        "SECONDS",
        said="30",
    ),
    "limit_requests": Option(
        Whole(1, 1 << 16, "requests"),
        "answer 503 where more requests than this wait for an answer",
        256,
        "N",
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


#: The least containment, where only the word is given.
CONTAINMENT: float = OPTIONS["containment"].const


def default(name: str) -> Any:
    """Return what holds by default."""
    return OPTIONS[name].default


def checked(name: str, value: Any) -> Any:
    """Return the value of an option as the library uses it; None stands for the default.

    Raises:
        OptionError: the value is not allowed.
    """
    option = OPTIONS[name]
    value = option.default if value is None else value
    return None if value is None else option.kind.check(name, value)
