"""The table of options: the allowed values and the meaning of every option.

``find(resemblance=...)`` and ``ilk scan --resemblance`` are one entry. The table feeds the checks,
the parsers, the help and ``docs/reference/options.md``; defaults are here and nowhere else, and
what options mean is in ``options.txt``. The options of a fingerprint are in
``ilk.fingerprints.recipe_options``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from string import Template
from typing import Any, Literal, TypeAlias

from ilk.base.errors import OptionError
from ilk.base.kinds import (
    CheckedValue,
    Choice,
    Duration,
    Flag,
    Kind,
    Seconds,
    Share,
    Size,
    SizeBounds,
    Text,
    TimeOrAge,
    UncheckedValue,
    Whole,
)

#: The share that ``same_site`` and ``containment`` have if only the word is given.
STRICTER, SAME_SITE = "stricter", 0.9

#: The largest share of wrong characters in a search for noisy copies.
NOISIEST = Fraction(1, 10)

#: The policy that prefers what was there first, for files.
ORIGINAL = "original"

#: Policies of ``keep``, and what the document has that stays.
POLICIES = {
    ORIGINAL: "fewer marks of a copy in its path, then the folder that people use, then the oldest",
    "first": "first in source order",
    "last": "last in source order",
    "longest": "most text",
    "shortest": "least text",
    "newest": "modified last",
    "oldest": "modified first",
    "central": "greatest sum of resemblances in its family",
    "prefer:PATTERN": "name or path matches the glob, as for --exclude",
}

#: Policies over a column of a data set, since its rows have no modification time, and what the row
#: has that stays.
COLUMN_POLICIES = {
    "newest:COLUMN": "latest time in that column",
    "oldest:COLUMN": "earliest time in that column",
    "max:COLUMN": "largest number in that column",
    "min:COLUMN": "smallest number in that column",
}

#: The policies of a data set that are not about which of the rows is best.
ROW_POLICIES = {"none": "no row that is like another one stays, nor the first of them"}

#: Policies that assume copies; documents that share passages need not be copies.
NOT_OF_PASSAGES = (ORIGINAL, "central", *ROW_POLICIES)

#: Policies that need a column of times for a data set.
TIMES = ("newest", "oldest")

#: What a comparison may ignore, and what that means; recipes of fingerprints ignore the first two
#: in the same way.
IGNORED = {
    "accents": "accents of letters",
    "digits": "which number it is: every run of digits counts as one 0",
    "punctuation": "punctuation and symbols: they count as spaces, and an apostrophe within a word "
    "as nothing",
}

#: The ways to write the bits of a fingerprint, most significant first.
FingerprintForm: TypeAlias = Literal["hex", "bits", "unsigned", "signed"]
FORMS: tuple[FingerprintForm, ...] = ("hex", "bits", "unsigned", "signed")


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
        default_phrase: a phrase for the default, if it is not ``default``.
        aliases: other names that a command accepts, not used by functions.
        required: whether a command needs it.
        part: the option of a command that it is a part of, and its name there: ``--limit
            memory=2GB``; None if commands have it by itself.
        usual: whether ``-h`` shows it; ``--help`` shows every option.
        needs: options; one of them must be given too, since it would have no effect without.
        idle_with: options that leave it without effect.
        refused_in_default_config: whether a person must choose it, on the command line or in a file
            of options that ``--config`` names: it runs a program, reads, writes, replaces or moves
            what it names, or opens a way for other machines. Whoever made a folder with an
            ``ilk.toml`` in it may not.
    """

    kind: Kind
    help: str = ""
    default: Any = None
    metavar: str | None = None
    repeated: bool = False
    const: Any = None
    default_phrase: str | None = None
    aliases: tuple[str, ...] = ()
    required: bool = False
    part: tuple[str, str] | None = None
    usual: bool = False
    needs: tuple[str, ...] = ()
    idle_with: tuple[str, ...] = ()
    refused_in_default_config: bool = False

    def __post_init__(self) -> None:
        """Name values as their kind does, if no other name is given; a switch is off."""
        if self.metavar is None:
            object.__setattr__(self, "metavar", self.kind.metavar)
        if isinstance(self.kind, Flag):
            object.__setattr__(self, "default", bool(self.default))

    def check(self, name: str, value_or_none: UncheckedValue | None) -> CheckedValue:
        """Return a value as the library uses it; None means the default.

        Args:
            name: what to call the option in an error.
            value_or_none: what a person or a program gave.

        Raises:
            OptionError: the value is not allowed.
        """
        value = self.default if value_or_none is None else value_or_none
        return None if value is None else self.kind.check(name, value)

    @property
    def default_in_words(self) -> str:
        """Return the default as help says it; "" without one."""
        if self.default_phrase is not None:
            return self.default_phrase
        unsaid = self.default is None or isinstance(self.kind, Flag)
        return "" if unsaid else self.kind.format_value(self.default)

    @property
    def help_with_default(self) -> str:
        """Return the help with the default."""
        phrase = self.default_in_words
        return f"{self.help} (default: {phrase})" if phrase else self.help


def spell_conditions_of_effect(
    option: Option,
    available_options: Container[str],
    *,
    spell_option: Callable[[str], str] | None = None,
) -> str:
    """Say with which other options one has an effect, or has none; "" if it always has.

    Args:
        option: the option.
        available_options: every option that may stand beside it.
        spell_option: how to write the name of another option; by default as on a command line.
    """
    spell = spell_option or _spell_flag_or_group_part
    needed = [spell(name) for name in option.needs if name in available_options]
    idle = [spell(name) for name in option.idle_with if name in available_options]
    return "; ".join(
        [f"only with {' or '.join(needed)}"] * bool(needed)
        + [f"not with {' or '.join(idle)}"] * bool(idle)
    )


def flag_of(option_name: str) -> str:
    """Return an option in the spelling of a command: ``--pairs-sample``; ``as_`` is ``--as``."""
    return "--" + option_name.removesuffix("_").replace("_", "-")


def _spell_flag_or_group_part(option_name: str) -> str:
    """Return ``--radius``, or ``--limit memory`` for an option that is a part of another one."""
    part = OPTIONS[option_name].part if option_name in OPTIONS else None
    return flag_of(option_name) if part is None else f"--{part[0]} {part[1]}"


def refuse_idle_options(
    values: Mapping[str, Any],
    available_options: Container[str],
    option_table: Mapping[str, Option] | None = None,
) -> None:
    """Refuse given options that would have no effect where they stand.

    Args:
        values: the given options and their values; one that is off or None is not given.
        available_options: every option that the command or the function has.
        option_table: the options of a command; by default ``OPTIONS``.

    Raises:
        OptionError: an option lacks one that it needs, or stands beside one that leaves it idle.
    """
    table = OPTIONS if option_table is None else option_table
    on = {name for name, value in values.items() if value is not None and value is not False}
    for name in values:
        option = table.get(name)
        if option is None or name not in on:
            continue
        needed = [other for other in option.needs if other in available_options]
        if needed and not on & set(needed):
            alternatives = " or ".join(f"`{other}`" for other in needed)
            raise OptionError(
                f"`{name}` has no effect without {alternatives}; add it, or leave it out."
            )
        idle = [other for other in option.idle_with if other in on]
        if idle:
            raise OptionError(f"`{name}` has no effect with `{idle[0]}`; leave out one of the two.")


def spell_keep_policies(*, for_rows: bool) -> str:
    """Return the policies of ``keep`` and their meanings; for rows, also those over columns."""
    known = POLICIES | COLUMN_POLICIES | ROW_POLICIES if for_rows else POLICIES
    fitting = {name: what for name, what in known.items() if not (for_rows and name in TIMES)}
    return "; ".join(f"{name}: {what}" for name, what in fitting.items())


def spell_keep_policies_of_passages() -> str:
    """Return the policies of ``keep`` and their meanings where words are shared, not documents."""
    known = POLICIES | COLUMN_POLICIES
    fitting = {name: what for name, what in known.items() if name not in NOT_OF_PASSAGES}
    return "; ".join(f"{name}: {what}" for name, what in fitting.items())


def _read_help_texts() -> dict[str, str]:
    """Return the lines of ``options.txt`` by the names that they begin with."""
    template = Template(Path(__file__).with_suffix(".txt").read_text("utf-8"))
    ignored = "; ".join(f"{name}: {what}" for name, what in IGNORED.items())
    text = template.substitute(policies=spell_keep_policies(for_rows=False), ignored=ignored)
    lines = text.replace("\n    ", " ").split("\n")
    return {name: text for name, _, text in (line.partition(": ") for line in lines)}


_TEXTS = _read_help_texts()


def _with_help(**entries: Option) -> dict[str, Option]:
    """Return entries with what ``options.txt`` says of them, and of their defaults."""
    options = {}
    for name, entry in entries.items():
        what, _, default = _TEXTS[name].partition(" (default: ")
        options[name] = replace(entry, help=what, default_phrase=default.removesuffix(")") or None)
    return options


#: What is read.
READING = _with_help(
    text=Option(Text(), default="text", metavar="NAME", repeated=True, usual=True),
    against_text=Option(Text(), metavar="NAME", repeated=True, needs=("against",)),
    id=Option(Text(), metavar="NAME"),
    encoding=Option(Text(), metavar="NAME", part=("extract", "encoding")),
    rows=Option(Flag(), part=("walk", "rows")),
    folder_as_document=Option(Flag()),
    include=Option(Text(), metavar="GLOB", repeated=True, usual=True),
    exclude=Option(Text(), metavar="GLOB", repeated=True),
    files_from=Option(Text(), metavar="FILE", refused_in_default_config=True),
    convert=Option(Text(), metavar="EXT=COMMAND", repeated=True, refused_in_default_config=True),
    convert_timeout=Option(Seconds(), default=60.0, part=("limit", "timeout")),
    extract=Option(Choice(("none", "all", "fast", "quality")), default="none", usual=True),
    files_in=Option(Text(), metavar="COLUMN", refused_in_default_config=True),
    cache=Option(Text(), metavar="DIR", part=("extract", "cache"), refused_in_default_config=True),
    ocr=Option(Text(), metavar="COMMAND", part=("extract", "ocr"), refused_in_default_config=True),
    replies=Option(Choice(("keep", "drop")), default="keep", part=("extract", "replies")),
    links=Option(Flag(), part=("walk", "links")),
    gitignore=Option(Flag(), part=("walk", "gitignore")),
    no_hidden=Option(Flag(), part=("walk", "no-hidden")),
    one_file_system=Option(Flag(), part=("walk", "one-file-system")),
    size=Option(SizeBounds()),
    newer=Option(TimeOrAge()),
    older=Option(TimeOrAge()),
    depth=Option(Whole(1, unit="folders"), metavar="N"),
    limit_memory=Option(Size(), default=2_000_000_000, part=("limit", "memory")),
    limit_text=Option(Size(), default=200_000_000, part=("limit", "text")),
    limit_unpacked=Option(Size(), default=10_000_000_000, part=("limit", "unpacked")),
    limit_ratio=Option(Whole(1), default=200, part=("limit", "ratio")),
    limit_nesting=Option(Whole(1, 100), default=8, part=("limit", "nesting")),
    url=Option(Text(), default="url", metavar="NAME", usual=True),
    date=Option(Text(), metavar="NAME", needs=("window",)),
)

#: What is looked for.
SOUGHT = _with_help(
    resemblance=Option(Share(), default=0.8, aliases=("threshold",), usual=True),
    containment=Option(Share(), const=0.95, usual=True),
    radius=Option(Whole(0, 128, "bits"), metavar="BITS", part=("fingerprint", "radius")),
    similarity=Option(Share(above_zero=False), part=("fingerprint", "similarity")),
    nearest=Option(Whole(1, 1_000_000, "documents"), metavar="K"),
    unverified=Option(Flag(), part=("fingerprint", "unverified")),
    shingle=Option(Whole(1, 64, "words"), default=3, metavar="WORDS"),
    by=Option(Choice(("words", "characters"))),
    as_=Option(Text(), metavar="code"),
    ignore=Option(Text(), metavar="NAMES", repeated=True),
    ignore_text=Option(Text(), metavar="PATH", repeated=True, refused_in_default_config=True),
    common_blocks=Option(Whole(1, unit="documents"), part=("limit", "blocks")),
    same_site=Option(Text(), metavar="SHARE"),
    pairing=Option(Choice(("exact", "fingerprint")), part=("fingerprint", "pairing")),
    recall=Option(Share(), default=0.99, part=("fingerprint", "recall"), needs=("pairing",)),
    linkage=Option(Choice(("anchored", "connected")), default="anchored"),
    noise=Option(Share(highest=NOISIEST), const=0.05, usual=True),
    keep=Option(Text(), default="first", metavar="POLICY", repeated=True, usual=True),
    keep_numbers_only=Option(Flag()),
    keep_up_to=Option(Whole(1, unit="rows"), default=1, metavar="N"),
    count=Option(Text(), metavar="COLUMN"),
    max_pairs=Option(
        Whole(0, (1 << 63) - 1, "pairs"), default=100_000_000, part=("limit", "pairs")
    ),
    exact=Option(Flag(), usual=True),
    identical=Option(Flag()),
    key=Option(Text(), metavar="COLUMN", repeated=True, usual=True),
    within=Option(Text(), metavar="COLUMN", repeated=True),
    window=Option(Duration()),
    against=Option(
        Text(), metavar="OTHER", repeated=True, usual=True, refused_in_default_config=True
    ),
    only_against=Option(Flag(), needs=("against",)),
    add=Option(Flag(), needs=("against",)),
    alarm_documents=Option(Whole(unit="documents"), default=1_000, part=("alarm", "documents")),
    alarm_share=Option(Share(above_zero=False), default=0.05, part=("alarm", "share")),
    alarm_loss=Option(Share(above_zero=False), default=0.5, part=("alarm", "loss")),
    words=Option(Whole(1, (1 << 32) - 1, "words"), usual=True),
    unit=Option(Choice(("words", "line", "sentence", "paragraph")), default="words", usual=True),
    across=Option(Text(), metavar="WHAT", usual=True),
    drop_above=Option(Share()),
    among=Option(Flag()),
    min_words=Option(Whole(1, (1 << 32) - 1, "words"), default=5, part=("limit", "words")),
)

#: What is measured.
MEASURING = _with_help(
    labels=Option(Text(), metavar="TSV", refused_in_default_config=True),
)

#: How fingerprints are made; ``ilk.fingerprints`` reads these.
FINGERPRINTS = _with_help(
    recipe=Option(Text(), metavar="RECIPE", part=("fingerprint", "recipe"), usual=True),
    weights=Option(
        Text(), metavar="FILE", part=("fingerprint", "weights"), refused_in_default_config=True
    ),
    secret=Option(
        Text(), metavar="FILE", part=("fingerprint", "secret"), refused_in_default_config=True
    ),
)

#: How it runs.
RUNNING = _with_help(
    jobs=Option(Whole(1, 1 << 16, "threads")),
    memory=Option(Size()),
    work=Option(Text(), metavar="DIR", refused_in_default_config=True),
    engine=Option(Choice(("machine", "spark")), default="machine"),
    master=Option(
        Text(),
        metavar="URL",
        part=("engine", "master"),
        needs=("engine",),
        refused_in_default_config=True,
    ),
    partitions=Option(
        Whole(1, (1 << 31) - 1, "tasks"), part=("engine", "partitions"), needs=("engine",)
    ),
    order_by=Option(
        Text(), metavar="COLUMN", repeated=True, part=("engine", "order-by"), needs=("engine",)
    ),
    strict=Option(Flag()),
    quiet=Option(Flag(), usual=True),
)

#: Where results go.
OUTPUT = _with_help(
    output=Option(Text(), metavar="FILE", usual=True, refused_in_default_config=True),
    format=Option(Choice(("table", "jsonl", "csv", "parquet")), default="table", usual=True),
    pairs=Option(Flag(), part=("format", "pairs")),
    flat=Option(Flag(), part=("format", "flat")),
    print0=Option(Flag(), part=("format", "print0")),
    sort=Option(Choice(("size", "bytes", "name")), idle_with=("print0",)),
    top=Option(Whole(unit="families"), usual=True, idle_with=("print0", "summary")),
    summary=Option(Flag(), part=("format", "summary")),
    expect_none=Option(Flag()),
    fail_above=Option(Share(above_zero=False), idle_with=("expect_none",)),
    plan=Option(Text(), metavar="DIR", usual=True, refused_in_default_config=True),
    report=Option(Text(), metavar="FILE", usual=True, refused_in_default_config=True),
    report_families=Option(
        Whole(unit="families"), default=100, part=("limit", "families"), needs=("report",)
    ),
    report_members=Option(Whole(unit="members"), default=10, part=("limit", "members")),
    items=Option(Text(), metavar="FILE", needs=("against",), refused_in_default_config=True),
    cut=Option(Flag(), usual=True),
    mid_sentence=Option(Flag(), needs=("cut",)),
    every_place=Option(Flag(), needs=("cut",), idle_with=("against",)),
    emptied=Option(Choice(("keep", "drop")), default="keep", needs=("cut",)),
    diff=Option(Flag(), usual=True),
    html=Option(Text(), metavar="FILE", usual=True, refused_in_default_config=True),
    annotate=Option(Flag(), needs=("output",)),
    revisits=Option(Flag(), needs=("output",), idle_with=("annotate",)),
    accept_alarm=Option(Flag(), refused_in_default_config=True),
    force=Option(
        Flag(),
        needs=("output", "plan", "report", "html", "picture", "items"),
        refused_in_default_config=True,
    ),
    config=Option(Text(), metavar="FILE"),
    color=Option(Choice(("auto", "always", "never")), default="auto"),
)

#: What to do with files.
ACTING = _with_help(
    move_to=Option(Text(), metavar="DIR", usual=True, refused_in_default_config=True),
    trash=Option(Flag(), usual=True, refused_in_default_config=True),
    hardlink=Option(Flag(), usual=True, refused_in_default_config=True),
    symlink=Option(Flag(), refused_in_default_config=True),
    any_owner=Option(Flag(), needs=("hardlink", "symlink"), refused_in_default_config=True),
    drop=Option(Text(), metavar="VERDICTS", repeated=True, usual=True),
    script=Option(Choice(("sh",)), metavar="sh", refused_in_default_config=True),
    yes=Option(Flag(), usual=True, refused_in_default_config=True),
)

#: Every option of the core by its name; those of packages are declared there.
OPTIONS = READING | SOUGHT | MEASURING | FINGERPRINTS | RUNNING | OUTPUT | ACTING

#: Options of ``dedup`` for near-duplicates: none are looked for if only equal texts or keys count.
OF_NEAR = {
    name: replace(OPTIONS[name], idle_with=("exact", "key"))
    for name in (
        "resemblance",
        "shingle",
        "by",
        "as_",
        "common_blocks",
        "pairing",
        "recall",
        "ignore_text",
        "keep_numbers_only",
    )
} | {"ignore": replace(OPTIONS["ignore"], idle_with=("key",))}

#: Options of ``dedup`` that mean less for rows: these have no times when they were modified.
OF_ROWS = {
    "window": replace(
        OPTIONS["window"],
        help="compare only rows that are at most this far apart in time, such as 30m, 12h, 7d or "
        "2w, by the column of --date; a family may be longer; rows without a time are compared "
        "with each other",
    )
}

#: Options of a question to a store that say what counts as like: the nearest are shown whether they
#: are like it or not.
OF_LIKE = {
    name: replace(OPTIONS[name], idle_with=("nearest",))
    for name in ("resemblance", "radius", "similarity")
}

#: Options of ``scan`` for texts: none are read if only the bytes of files are compared.
OF_TEXTS = {
    name: replace(OPTIONS[name], idle_with=(*OPTIONS[name].idle_with, "identical"))
    for name in (
        *("resemblance", "containment", "noise", "shingle", "common_blocks", "same_site", "labels"),
        *("by", "as_", "ignore", "ignore_text"),
        *("pairing", "recall", "radius", "similarity", "unverified", "recipe", "weights", "secret"),
        *("linkage", "max_pairs", "pairs", "among", "min_words", "memory"),
        *(
            "text",
            "id",
            "rows",
            "folder_as_document",
            "encoding",
            "convert",
            "extract",
            "replies",
            "ocr",
            "cache",
        ),
        *("convert_timeout", "limit_memory", "limit_text", "limit_unpacked", "limit_ratio"),
        "limit_nesting",
    )
}

#: Options of commands that consist of parts: of the options above whose ``part`` names them.
GROUPS = _with_help(
    limit=Option(Text(), metavar="NAME=VALUE", repeated=True),
    fingerprint=Option(Text(), metavar="NAME=VALUE", repeated=True, const="pairing=fingerprint"),
    walk=Option(Text(), metavar="NAME", repeated=True),
    alarm=Option(Text(), metavar="NAME=VALUE", repeated=True),
)

#: The least containment if only the word is given.
CONTAINMENT: float = OPTIONS["containment"].const


def default(name: str) -> CheckedValue:
    """Return the default of an option."""
    return OPTIONS[name].default


def check_option(name: str, value_or_none: UncheckedValue | None) -> CheckedValue:
    """Return the value of an option as the library uses it; None means the default.

    Raises:
        OptionError: the value is not allowed.
    """
    return OPTIONS[name].check(name, value_or_none)
