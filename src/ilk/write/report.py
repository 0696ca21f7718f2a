"""The page of a search or a deduplication: what could go, a picture of it, and every family.

The largest families are written out, with what every member shares with its original and where it
differs. All others are in the page as data, which its script draws as one scrolls.
"""

from __future__ import annotations

import datetime
import os
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import verdicts
from ilk.base.kinds import Share
from ilk.base.options import OPTIONS, ORIGINAL, default, flag_of
from ilk.fingerprints.recipe import Recipe
from ilk.read.files.content import unescape_source_name
from ilk.search.differences import folded_word_changes_and_moves
from ilk.search.measures import format_percent
from ilk.write import pages, plots, side_by_side
from ilk.write.families import (
    ORDER,
    AlsoLike,
    Families,
    Family,
    Fates,
    Member,
    agreement_if_noisy_else_resemblance,
    name_with_id,
)
from ilk.write.folder_lines import TwinFolder, spell_relation
from ilk.write.gains import spell_gains
from ilk.write.pages import common_folder_prefix

#: Characters of a text to show: at the head of a family, and to search in.
_BEGINS, _SEARCHED = 300, 160

#: Families whose first words can be searched; each is read again.
_READ = 1_000

#: Characters of the differences of a member to show, and of a text that is compared here.
_DIFFERENCE, _LONGEST = 4_000, 500_000

#: Characters of the names that the data of a page may hold, and of a brief one; and members of a
#: family that are only named.
_NAMES, _FEW_NAMES, _NAMED = 16_000_000, 400_000, 200

#: Boxes of the picture, and columns of the plot of times.
_BOXES, _MONTHS = 120, 48

#: Families from which on a picture says more than their list.
_DRAWN = 3

#: The day from which the data counts days.
_DAY = datetime.date(1970, 1, 1).toordinal()


class _MemberFate(NamedTuple):
    """The values of a ``Member`` that say what happens to it."""

    keeps: bool
    policy: str | None
    stays: str
    link: str
    copy: str


#: The values of members that the data of a page is made of.
_OF_DATA = ("source", "id", "verdict", "agreement", "resemblance", "size", "modified", "doc")
_PACKED = (*_OF_DATA, *_MemberFate._fields)


class _ShownCluster(NamedTuple):
    """Members that are shown, those that are only named, and what the original is also like."""

    members_shown: Sequence[Member]
    members_named: Sequence[Member]
    also_like: AlsoLike | None


class _MembersToShow(NamedTuple):
    """The first clusters of a family, and the members of all others."""

    clusters: list[_ShownCluster]
    others: list[Member]


class ShownFamilies(NamedTuple):
    """The families that a page shows with their texts.

    Attributes:
        families: each with its clusters and the members that are only named
            (``_take_first_clusters_within_member_limit``).
        texts: those that are shown, or searched for on the page, by document.
    """

    families: list[tuple[Family, _MembersToShow]]
    texts: dict[int | None, str | None]


def choose_families_and_read_page_texts(
    families: Families, *, families_shown: int, members_shown: int, brief: bool
) -> ShownFamilies:
    """Read the texts that a page shows; on a ``brief`` one, no others can be searched."""
    first = [
        (one, _take_first_clusters_within_member_limit(one, members_shown))
        for one in families[:families_shown]
    ]
    begun = len(first) if brief or not first else _READ
    wanted = {one.doc for one in families.originals_at(range(min(begun, len(families))))}
    for _, (clusters, _) in first:
        for some, _, _ in clusters:
            if any(member.differs for member in some):
                wanted |= {member.doc for member in some if member.differs or member is some[0]}
    docs = sorted(doc for doc in wanted if doc is not None)
    return ShownFamilies(first, dict(zip(docs, families.read_texts(docs), strict=True)))


def render_report_page(
    report: Mapping[str, Any],
    families: Families,
    documents: pa.Table,
    shown_families: ShownFamilies,
    *,
    files: Fates | None = None,
    folders: Sequence[TwinFolder] = (),
    files_without_copy: Collection[str] = (),
    copied_words: Mapping[str, Any] | None = None,
    brief: bool = False,
    already_dropped: bool = False,
) -> str:
    """Return the whole page; no document is read.

    Args:
        report, families: of a search or a deduplication, and its families.
        documents: those that were looked at, with ``source`` and ``size``; rows need none.
        shown_families: the families that are shown with their texts.
        files, brief: as for ``SearchResult.page``.
        folders: those that stand in others.
        files_without_copy: the files that are no documents, whose bytes are those of no other file.
        already_dropped: whether the rows are dropped already, and not only could be.
        copied_words: of ``ilk.write.plagiarism``, if that comes first.
    """
    texts = shown_families.texts
    goes = families.like.filter(pc.equal(families.like["stays"], ""))
    # Of rows, those that stay beside their keeper are counted apart.
    alike_members = families.like if files else goes
    unit = "row" if "kept" in report else "document"
    sizes = _sizes_of_sources(
        report, documents, goes=goes, files=files, files_without_copy=files_without_copy
    )
    names, size_of_dropped = sizes.names, sizes.size_of_dropped
    near, least = (
        families.resemblances_of_inexact_members,
        float(report["options"].get("resemblance") or 0.8),
    )
    goes_by = "have gone" if already_dropped else "could go"
    single = "has gone" if already_dropped else "could go"
    inside, data_rows = _pack_first_families_within_name_bytes(
        families, texts, _FEW_NAMES if brief else _NAMES, single
    )
    return pages.render_page(
        "report.html",
        "mapped.js",
        "copied.js",
        "report.js",
        report=report,
        unit=unit,
        common=common_folder_prefix(names),
        where=names[0] if unit == "row" and len(names) == 1 else common_folder_prefix(names),
        brief=brief,
        documents=report["documents"],
        size=sizes.total,
        gone=len(size_of_dropped) if files else families.gone,
        spare=sum(filter(None, size_of_dropped.values()))
        if files
        else pc.sum(families.spares).as_py() or 0,
        files=bool(files),
        twins=[spell_relation(one) for one in folders],
        gains=list(spell_gains(files, _words_per_shingle(report))) if files else [],
        go=goes_by,
        goes=single,
        like=len(alike_members),
        stay_alike=len(families.like) - len(alike_members),
        copies=pc.sum(pc.is_in(alike_members["verdict"], pa.array(verdicts.COPIES))).as_py() or 0,
        every=families,
        shown=shown_families.families,
        named=_NAMED,
        text=lambda member, length: " ".join((texts.get(member.doc) or "")[:length].split()),
        begins=_BEGINS,
        beside=lambda original, member, place: _page_values_of_difference(
            texts.get(original.doc),
            texts.get(member.doc),
            place,
            _comparison_command_or_empty(original.name, member.name),
        ),
        href=(lambda _: None) if unit == "row" else _link_if_existing_file,
        how=lambda member: _phrase_for_fate_or_default(
            _MemberFate(*(getattr(member, name) for name in _MemberFate._fields)), single
        ),
        drawn=_DRAWN,
        maps=list(_make_treemaps_by_bytes_and_members(families, texts)),
        kinds=Counter(families.kinds).most_common(),
        alike=plots.resemblance_histogram(near, least) if len(near) else None,
        unlike=len(near),
        least=format_percent(least, min_digits=0),
        sizes=list(plots.count_size_classes(families.counts.to_pylist())),
        folders=_losses_by_folder_or_source(names, size_of_dropped, report.get("sources", ())),
        times=_change_counts_by_period_if_several(goes["modified"].drop_null().to_pylist()),
        options=_rows_of_changed_and_of_all_options(report["options"], unit),
        again=_command_line_of_changed_options(report["options"]),
        data=inside,
        held=data_rows,
        copied=copied_words,
    )


class _SourceSizes(NamedTuple):
    """What was looked at, and its bytes: the files, the documents, or the sources of rows.

    Attributes:
        names: of all of them.
        total: their bytes; 0 for rows.
        size_of_dropped: the bytes of each one that goes, if they are known; none for rows.
    """

    names: list[str]
    total: int
    size_of_dropped: dict[str, int | None]


def _sizes_of_sources(
    report: Mapping[str, Any],
    documents: pa.Table,
    *,
    goes: pa.Table,
    files: Fates | None,
    files_without_copy: Collection[str],
) -> _SourceSizes:
    """Return what was looked at, with its size on disk for files; ``goes`` has the members of
    families that go.
    """
    if "kept" in report:
        return _SourceSizes([row["source"] or "the table" for row in report["sources"]], 0, {})
    if not files:
        size_of_dropped = dict(
            zip(*(goes[name].to_pylist() for name in ("source", "size")), strict=True)
        )
        total = pc.sum(documents["size"]).as_py() or 0
        return _SourceSizes(documents["source"].to_pylist(), total, size_of_dropped)
    names = [*documents["file"].drop_null().unique().to_pylist(), *sorted(files_without_copy)]
    return _SourceSizes(
        names,
        sum(_size_on_disk_or_zero(unescape_source_name(name)) for name in names),
        {
            name: fate.size_or_zero_for_extra_hard_link
            for name, fate in files.items()
            if not fate.why
        },
    )


def _size_on_disk_or_zero(path: str) -> int:
    """Return the bytes of a file as it is, which may be packed; 0 if it has gone."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _take_first_clusters_within_member_limit(family: Family, member_limit: int) -> _MembersToShow:
    """Return the first clusters, with members up to the limit beside originals, and the rest."""
    members_shown: list[_ShownCluster] = []
    for cluster in family.clusters:
        if members_shown and member_limit <= 0:
            break
        count, members = max(member_limit, 0) + 1, cluster.members
        members_shown.append(_ShownCluster(members[:count], members[count:], cluster.also_like))
        member_limit -= len(members) - 1
    rest = family.clusters[len(members_shown) :]
    return _MembersToShow(members_shown, [one for cluster in rest for one in cluster.members])


def _link_if_existing_file(source: str) -> str | None:
    """Return a link to a file; None for what is no file, such as a row or a part of an archive."""
    try:
        name = unescape_source_name(source)
        if not os.path.isfile(name):
            return None
    except ValueError:
        return None
    path = quote(os.fsencode(name))
    return f"file://{path}" if os.path.isabs(name) else f"./{path}"


def _comparison_command_or_empty(*names: str) -> str:
    """Return the command that compares two files; "" if one is in a file, or a row of one."""
    if any(
        unescape_source_name(name) != name or _link_if_existing_file(name) is None for name in names
    ):
        return ""
    paths = [f"./{name}" if name.startswith("-") else name for name in names]
    return f"ilk compare {shlex.join(paths)} --html compared.html"


def _page_values_of_difference(
    original: str | None, member: str | None, link_prefix: str, command: str
) -> dict[str, Any]:
    """Return what differs between an original and a member, in words and in rows.

    Args:
        original, member: the texts; None if they cannot be read.
        link_prefix: what link targets begin with.
        command: what compares them; "" if nothing does.
    """
    if original is None or member is None:
        return {"said": "", "why": "One of the two texts is not available.", "rows": ()}
    if max(len(original), len(member)) > _LONGEST:
        return {"said": "", "why": "Too long to compare here.", "command": command, "rows": ()}
    changes = folded_word_changes_and_moves(original, member)
    rows, room = [], _DIFFERENCE
    for row in side_by_side.align_side_by_side_and_fold_equal(
        original, member, changes, link_prefix
    ):
        if room <= 0:
            break
        if row.folded and row.size > room // 2:  # Nobody opens a long equal stretch here.
            row = side_by_side.StretchPair(["…\n"], ["…\n"])
        room -= row.size
        rows.append(row)
    values = {"said": side_by_side.spell_counts_of_changes(changes), "rows": rows}
    return values | ({"why": "There is more.", "command": command} if room <= 0 else {"why": ""})


def _split_if_web_address(name: str) -> SplitResult | None:
    """Return the parts of the address of a page; None if the name is no such address."""
    if not name.startswith(("http://", "https://")):
        return None
    try:
        return urlsplit(name)
    except ValueError:
        return None


def _box_labels(originals: Sequence[Member], texts: Mapping[int | None, str | None]) -> list[str]:
    """Return short names for boxes: ends of paths; of rows, pages or their first words."""
    addresses = [_split_if_web_address(one.id or one.name) for one in originals]
    hosts = {address.netloc for address in addresses if address}
    ends = Counter(one.name.rpartition("/")[2] for one in originals)
    labels = []
    for one, address in zip(originals, addresses, strict=True):
        folder, _, end = one.name.rpartition("/")
        if address:
            rest = address.path.rstrip("/").rpartition("/")[2]
            rest += f"?{address.query}" if address.query else ""
            host = "" if rest and len(hosts) == 1 else address.netloc
            labels.append(f"{host} {rest}".strip())
        elif one.id:
            labels.append(one.id)
        elif "#" in end and one.doc is not None and texts.get(one.doc):
            labels.append(" ".join((texts[one.doc] or "")[:_BEGINS].split()))
        else:
            labels.append(f"{folder.rpartition('/')[2]}/{end}" if ends[end] > 1 and folder else end)
    return labels


class _FamilyBox(NamedTuple):
    """The original of a family, the kind of the family, its number from 1 on the page, a short name
    and the bytes or members.
    """

    original: str
    kind: str
    number: int
    label: str
    weight: int


class _Treemap(NamedTuple):
    """A picture: what its areas are (``bytes``, ``members``), and the boxes of families."""

    way: str
    boxes: list[tuple[plots.Box, _FamilyBox]]


def _make_treemaps_by_bytes_and_members(
    families: Families, texts: Mapping[int | None, str | None]
) -> Iterator[_Treemap]:
    """Yield a picture of the largest families by bytes, if those are known, and one by members."""
    for way, weights in (("bytes", families.spares), ("members", families.counts)):
        order = pc.array_sort_indices(weights, order="descending").slice(0, _BOXES).to_pylist()
        heavies = [weight for at in order if (weight := weights[at].as_py()) > 0]
        if not heavies:
            continue
        originals = families.originals_at(order[: len(heavies)])
        labels = _box_labels(originals, texts)
        boxes = [
            _FamilyBox(
                original=original.name,
                kind=families.kinds[at],
                number=at + 1,
                label=label,
                weight=heavy,
            )
            for at, original, label, heavy in zip(order, originals, labels, heavies, strict=False)
        ]
        drawn = plots.make_treemap([box.weight for box in boxes], aspect_ratio=2.2)
        yield _Treemap(way, list(zip(drawn, boxes, strict=True)))


class _FolderLosses(NamedTuple):
    """How many documents a folder or a source of rows has, how many of them could go, and the bytes
    of these, 0 for rows.
    """

    name: str
    documents: int
    dropped_documents: int
    dropped_bytes: int


def _losses_by_folder_or_source(
    names: Sequence[str],
    dropped_bytes: Mapping[str, int | None],
    sources: Sequence[Mapping[str, Any]],
) -> list[_FolderLosses]:
    """Return the folders or sources of rows that lose documents, those that lose most first.

    The folder of a part of a file is the file.
    """
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for source in names if not sources else ():
        counts[_label_folder_or_container(source)][0] += 1
    for source, size in dropped_bytes.items():
        count = counts[_label_folder_or_container(source)]
        count[1] += 1
        count[2] += size or 0
    for name, row in zip(names, sources, strict=False):
        counts[name][0] += row["rows"]
        counts[name][1] += row["copies"] + row["near"]
    rows = [_FolderLosses(name, *count) for name, count in counts.items() if count[1]]
    return sorted(
        rows, key=lambda row: (-row.dropped_bytes, -row.dropped_documents, -row.documents, row.name)
    )


def _label_folder_or_container(source: str) -> str:
    file, inside, _ = source.partition("!/")
    return file if inside else source.rpartition("/")[0] or "here"


def _change_counts_by_period_if_several(moments: Sequence[datetime.datetime]) -> list[plots.Bar]:
    """Return how many documents were changed in each period.

    Empty if all are of one period, or a time is before 1900.
    """
    months = Counter(12 * one.year + one.month - 1 for one in moments)
    first, last = min(months, default=0), max(months, default=0)
    if first < 12 * 1900:
        return []
    if last - first < _MONTHS:
        bars = [
            plots.Bar(f"{at // 12}-{at % 12 + 1:02}", months[at]) for at in range(first, last + 1)
        ]
    else:
        years = Counter(one.year for one in moments)
        bars = [plots.Bar(str(year), years[year]) for year in range(first // 12, last // 12 + 1)]
    return bars if len(bars) > 1 else []


class _OptionRow(NamedTuple):
    """An option as a command spells it, its value in words, and its help."""

    flag: str
    value: str
    help: str


class _OptionRows(NamedTuple):
    """The options that differ from their defaults, and all that have a value."""

    changed_rows: list[_OptionRow]
    every: list[_OptionRow]


def _rows_of_changed_and_of_all_options(options: Mapping[str, Any], unit: str) -> _OptionRows:
    usual = {"recipe": str(Recipe())} | ({"keep": ORIGINAL} if unit == "document" else {})
    changed_rows, every = list[_OptionRow](), list[_OptionRow]()
    for name, value in _known_options_by_table_name(options):
        if value not in (None, False, [], {}):
            words = _spell_option_value(name, value)
            row = _OptionRow(flag_of(name), words, OPTIONS[name].help)
            every.append(row)
            known = usual.get(name, OPTIONS[name].default)
            if known is None or words not in (str(known), _spell_option_value(name, known)):
                changed_rows.append(row)
    return _OptionRows(changed_rows, every)


def _known_options_by_table_name(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the options of a report by their names in the table, where ``as`` is ``as_``."""
    for name, value in options.items():
        for known in (name, f"{name}_"):
            if known in OPTIONS:
                yield known, value


#: Options whose values in a report are not what a command line has.
_NOT_SPELT = ("recipe", "convert", "ocr", "cache", "files_in")


def _command_line_of_changed_options(options: Mapping[str, Any]) -> str:
    """Return the options that differ from their defaults as words of ``ilk scan``, each after a
    space.

    >>> options = {"size": "1MB..", "links": True, "keep": ["newest", "first"], "as": "code"}
    >>> _command_line_of_changed_options(options)
    ' --size 1MB.. --walk links --keep newest --keep first --as code'
    """
    words: list[str] = []
    for name, value in _known_options_by_table_name(options):
        if name in _NOT_SPELT or value in (None, False, [], {}):
            continue
        option = OPTIONS[name]
        usual = [ORIGINAL] if name == "keep" else option.default
        if value == usual or [usual] == value or str(value) == str(usual):
            continue
        for each in value if isinstance(value, list) else [value]:
            spelt = "" if each is True else str(each)
            if option.part is not None:
                flag, part = option.part
                words += [f"--{flag}", f"{part}={spelt}" if spelt else part]
            else:
                words += [flag_of(name), *([spelt] if spelt else [])]
    return "".join(f" {shlex.quote(word)}" for word in words)


def _spell_option_value(name: str, value: Any) -> str:
    """Return the value of an option as a person reads it.

    >>> _spell_option_value("resemblance", 0.8), _spell_option_value("keep", ["longest", "first"])
    ('80%', 'longest, then first')
    """
    if value is True:
        return "yes"
    if isinstance(OPTIONS[name].kind, Share) and isinstance(value, int | float):
        return format_percent(value, min_digits=0)
    if isinstance(value, list | tuple):
        return (", then " if name == "keep" else ", ").join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _words_per_shingle(report: Mapping[str, Any]) -> int:
    return int(report["options"].get("shingle") or default("shingle"))


def _phrase_for_fate_or_default(fate: _MemberFate, default_fate: str) -> str:
    """Return a phrase for what happens to a member."""
    keeps, policy, stays, link, copy = fate
    if keeps:
        return "stays" if policy is None else default_fate
    if stays:
        return f"stays: it {stays}"
    if link:
        return f"{default_fate}: it is a hard link to {link}, which goes too"
    return f"{default_fate}: it has the same bytes as {copy}" if copy else default_fate


class _PackedFamilies(NamedTuple):
    """Families as data for the script, and how many they are."""

    data: str
    family_count: int


def _pack_first_families_within_name_bytes(
    families: Families,
    texts: Mapping[int | None, str | None],
    name_byte_limit: int,
    default_fate: str,
) -> _PackedFamilies:
    """Return families, from the first, as data for the script, within a limit for their names.

    A family is ``[first words, sums of bytes, kind, members]``, a member ``[folder, name, verdict,
    likeness in thousandths, bytes, day since 1970, what happens to it]``, with ``verdict`` -1
    for an original; folders, verdicts and what happens are numbers in lists. ``default_fate`` is
    what happens to a member without a reason.
    """
    folders, fates, reasons = dict[str, int](), dict[Any, int](), dict[str, int]()
    kinds = dict(ORDER)
    rows, name_bytes = [], 0
    of_families = (
        families.member_values_by_family(_PACKED),
        families.sizes,
        families.spares,
        families.kinds,
    )
    for values, size, spare, kind in zip(*of_families, strict=True):
        members = []
        for source, own_id, verdict, agreement, resemblance, bytes_, modified, _, *fate in values:
            folder, slash, name = name_with_id(source, own_id).rpartition("/")
            at = folders.setdefault(folder + slash, len(folders))
            number = -1 if fate[0] else kinds.setdefault(verdict, len(kinds))
            likeness = agreement_if_noisy_else_resemblance(verdict, agreement, resemblance)
            share = None if likeness is None else int(1000 * likeness)
            when = None if modified is None else modified.toordinal() - _DAY
            known = tuple(fate)
            why = fates.get(known)
            if why is None:
                phrase = _phrase_for_fate_or_default(_MemberFate._make(known), default_fate)
                why = fates[known] = reasons.setdefault(phrase, len(reasons))
            # No list: the collector would go through all of them again and again.
            members.append((at, name, number, share, bytes_, when, why))
            name_bytes += len(name.encode("utf-8", "surrogatepass")) + 28
        if name_bytes > name_byte_limit:
            break
        original = values[0][_PACKED.index("doc")]
        begins = pages.first_words(texts.get(original), _SEARCHED)
        of_family = [begins, size.as_py(), spare.as_py(), kinds.get(kind, 0), members]
        rows.append(of_family)
    data = {
        "folders": list(folders),
        "reasons": list(reasons),
        "verdicts": [
            [word, pages.WORDS.get(word, word), pages.SIGNS.get(word, "◦")] for word in kinds
        ],
        "families": rows,
    }
    return _PackedFamilies(pages.pack_as_base64_json(data), len(rows))
