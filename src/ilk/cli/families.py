"""What ``ilk scan`` and ``ilk dedup`` share: the families to print, and the page of them."""

from __future__ import annotations

import argparse
import itertools
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ilk import write
from ilk.base.errors import OptionError
from ilk.base.sizes import spell_size
from ilk.base.terminal import count_cells, printable
from ilk.cli import options, output
from ilk.cli.wording import printable_document_name
from ilk.search.measures import count_noun, format_percent

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.tasks.result import DeduplicationResult, SearchResult
    from ilk.write.gains import FileFate

#: Common blocks to show, and characters of each.
_BLOCKS, _WIDTH = 10, 60

#: Which of the families to print, and in which order; the page, and how much of them it shows.
LISTED = ("sort", "top")
REPORT = ("report", "report_families", "report_members")
#: Families, and members of each cluster, that a terminal shows if nobody says how many.
_FAMILIES_SHOWN, _MEMBERS_SHOWN = 20, 10


def lines_about_left_out_blocks(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield which blocks were left out; nothing if none were looked for."""
    blocks = report["common_blocks"]
    if blocks is None:
        return
    yield from ("", f"Left out: {count_noun(len(blocks), 'common block')}")
    for block in blocks[:_BLOCKS]:
        text = " ".join(block["text"].split())
        shown = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
        yield f"  in {count_noun(block['documents'], 'document')}: {printable(shown)}"
    if len(blocks) > _BLOCKS:
        yield f"  and {len(blocks) - _BLOCKS:,} more; --format jsonl has them all"


def refuse_contradictory_or_unwritable_outputs(args: argparse.Namespace) -> None:
    """Refuse, before any work, a page that cannot be written, or a summary that would be empty."""
    if args.summary and args.format in ("csv", "parquet"):
        raise OptionError(
            f"a summary has no rows, but {args.format} holds only rows; leave out one of them, or "
            "give --format summary,jsonl."
        )
    if (
        args.report_members is not None
        and args.report is None
        and not lists_family_members_as_text(args)
    ):
        raise OptionError(
            "`report_members` has no effect without `report` or a list of families; leave it out."
        )
    output.refuse_same_file_for_two_outputs(args.output, args.report, args.plan)
    output.refuse_unwritable_file(args, args.report)


def sort_and_top_options_or_defaults(args: argparse.Namespace) -> dict[str, Any]:
    """Return in which order to list families, and how many: as text, the largest come first."""
    chosen = options.given_library_arguments(args, *LISTED)
    if args.top is not None or args.format in (None, "table"):
        chosen.setdefault("sort", "size")
    if lists_families_on_terminal(args):
        chosen.setdefault("top", _FAMILIES_SHOWN)
    return chosen


def lists_families_on_terminal(args: argparse.Namespace) -> bool:
    """Return whether families are listed on a terminal, which shows a beginning; others get all."""
    # `ilk dedup` writes rows to its output, and lists families besides.
    listed_elsewhere = hasattr(args, "pairs") and output.output_path_unless_stdout(args) is not None
    return sys.stdout.isatty() and not listed_elsewhere and args.format in (None, "table")


def lists_family_members_as_text(args: argparse.Namespace) -> bool:
    """Return whether families are listed with their members, as text."""
    forms = ("pairs", "flat", "print0", "summary")
    if args.format not in (None, "table") or any(getattr(args, form, None) for form in forms):
        return False
    # `ilk dedup` lists them if an option names some.
    return hasattr(args, "pairs") or bool(options.given_library_arguments(args, *LISTED))


def member_limit_or_none(args: argparse.Namespace) -> int | None:
    """Return how many members of a cluster are listed; None for all."""
    if args.report_members is not None:
        return int(args.report_members)
    # With any `--top`, few members of each family are shown too.
    return _MEMBERS_SHOWN if lists_families_on_terminal(args) or args.top is not None else None


def lines_about_unlisted_families(
    *, shown_families: int | None, all_families: int
) -> Iterator[str]:
    """Yield how many families are not listed, and what shows them; nothing if all are listed."""
    if shown_families is not None and shown_families < all_families:
        are = "is" if shown_families == 1 else "are"
        sentence = (
            f"Only {shown_families:,} of {count_noun(all_families, 'family', 'families')} {are} "
            f"shown (--top {all_families} shows all; --report page.html makes a page of them)."
        )
        yield from textwrap.wrap(sentence, output.SENTENCE_COLUMNS, break_on_hyphens=False)


def write_page_if_asked(
    args: argparse.Namespace, result: SearchResult | DeduplicationResult, **page_arguments: Any
) -> None:
    """Write the page of a result if requested, with more arguments for ``page``."""
    if args.report is not None:
        output.write_page(
            args.report, result.page(args.report_families, args.report_members, **page_arguments)
        )


def alarm_and_nothing_to_compare_lines(
    report: Mapping[str, Any], alarms: Sequence[str], document_noun: str
) -> Iterator[str]:
    """Yield what to note of a report: alarms, and that there was nothing to compare."""
    yield from (f"alarm: {reason}" for reason in alarms)
    compared = report["documents"] + report.get("compared_by_bytes", 0)
    if compared < 2 and not report["against"]:
        yield f"warning: nothing to compare: {count_noun(report['documents'], document_noun)} read"


def family_lines(
    table: pa.Table,
    *,
    show_ids: bool = False,
    fates: Mapping[str, FileFate] | None = None,
    keeper_reasons: Mapping[str, str] | None = None,
    max_members: int | None = None,
) -> Iterator[str]:
    """Yield families: for each cluster the keeper first, then members with how alike they are.

    Args:
        table: named clusters.
        show_ids: whether to show ids.
        fates, keeper_reasons: by name, what happens to a file, and why its keeper stays and not it.
        max_members: how many members of a cluster are listed, besides its keeper; None for all.
    """
    fates = fates or {}
    clusters = write.cluster_records(table)
    for _, group in itertools.groupby(clusters, key=lambda cluster: cluster["family"]):
        family = list(group)
        indent = "  " if len(family) > 1 else ""
        if indent:
            documents = sum(len(cluster["members"]) for cluster in family)
            yield f"family: {count_noun(documents, 'document')} in {len(family):,} clusters"
        for cluster in family:
            yield from _cluster_lines(
                cluster,
                indent=indent,
                show_ids=show_ids,
                fates=fates,
                keeper_reasons=keeper_reasons or {},
                max_members=max_members,
            )
        yield ""


def _cluster_lines(
    cluster: dict[str, Any],
    *,
    indent: str,
    show_ids: bool,
    fates: Mapping[str, FileFate],
    keeper_reasons: Mapping[str, str],
    max_members: int | None,
) -> Iterator[str]:
    """Yield a cluster: how many it has, its keeper, and its members, a line each."""
    from ilk.search.keeper_reasons import spell_why_keeper_stays

    members, also = list(cluster["members"]), cluster["also_like"]
    member_fates = [fates.get(each["source"]) for each in members]
    gain = sum(
        fate.size_or_zero_for_extra_hard_link
        for fate in member_fates
        if fate is not None and not fate.why
    )
    size = f"{cluster['kind']}: {count_noun(len(members), 'document')}"
    size = "alone" if len(members) == 1 else size
    yield f"{indent}{size}" + (f", {spell_size(gain)} could go" if gain else "")

    def name_of(member: Mapping[str, Any]) -> str:
        return printable_document_name(member["source"], member.get("id") if show_ids else None)

    keeper_place = [member["source"] for member in members].index(cluster["keeper"])
    keeper, _ = members.pop(keeper_place), member_fates.pop(keeper_place)
    why = filter(None, (keeper_reasons.get(each["source"]) for each in members))
    reasons = printable(spell_why_keeper_stays(why))
    line, margin = f"{indent}  {'keep':26}  {name_of(keeper)}", f"{indent}{'':8}"
    if reasons and count_cells(f"{line}  ({reasons})") <= output.SENTENCE_COLUMNS:
        yield f"{line}  ({reasons})"
    else:
        yield line
        yield from _wrap_to_80_columns_with_margin(f"stays: {reasons}" if reasons else "", margin)
    if also is not None:
        yield f"{margin}also {format_percent(also['resemblance'])} like {printable(also['source'])}"
    shown_members = members[:max_members]
    for member, fate in zip(shown_members, member_fates, strict=False):
        note, reason = _spell_fate(fate, member["verdict"], keeper["source"])
        likeness = spell_share_then_verdict(member, share_cells=7)
        yield f"{indent}  {_goes_or_stays_word(fate):5}{likeness}  {name_of(member)}{note}"
        if reason:
            yield from _wrap_to_80_columns_with_margin(printable(reason), margin)
    if len(members) > len(shown_members):
        more = len(members) - len(shown_members)
        yield f"{margin}and {more:,} more (--limit members={len(members)} lists all)"


def _wrap_to_80_columns_with_margin(sentence: str, margin: str) -> list[str]:
    # Most are short, and wrapping takes long.
    if len(margin) + len(sentence) <= output.SENTENCE_COLUMNS:
        return [margin + sentence.strip()] if sentence.strip() else []
    return textwrap.wrap(
        sentence,
        output.SENTENCE_COLUMNS,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _goes_or_stays_word(fate: FileFate | None) -> str:
    """Return what happens to a file, in a word that stands where no colour is seen."""
    if fate is None:
        return ""
    return "stays" if fate.why else "goes"


class _FateWords(NamedTuple):
    """What is said of a file behind its name, and on lines below."""

    beside: str
    below: str


def _spell_fate(fate: FileFate | None, verdict: str, keeper: str) -> _FateWords:
    """Return what is said of a file behind its name, and on lines below.

    Of a file that stays for its verdict alone, the summary says what lets it go.
    """
    if fate is None:
        return _FateWords("", "")
    if not fate.why and fate.counted_link:
        return _FateWords("", f"is a hard link to {fate.counted_link}, which goes too")
    if not fate.why:
        other = fate.copy_that_stays not in ("", keeper)
        return _FateWords("", f"has the same bytes as {fate.copy_that_stays}" if other else "")
    if fate.releasing_words != (verdict,):
        return _FateWords("", fate.why)
    return _FateWords(
        f"  ({count_noun(fate.runs, 'run')} its keeper lacks)" if fate.runs else "", ""
    )


def spell_share_then_verdict(row: Mapping[str, Any], share_cells: int = 8) -> str:
    """Return how alike the two documents of a row are, as a share and a verdict for columns."""
    from ilk.arrow import verdicts

    verdict = row["verdict"]
    measure = row["agreement" if verdict == verdicts.NOISY else "resemblance"]
    return _spell_verdict_with_measure(verdict, measure, share_cells)


@lru_cache(1 << 10)  # Most members are like their keepers in the same way.
def _spell_verdict_with_measure(verdict: str, measure: float | None, share_cells: int) -> str:
    from ilk.arrow import verdicts

    if verdict == verdicts.NEAR and measure == 1:
        return f"{'':{share_cells}}  same runs, but not the same text"
    share = "" if measure is None else format_percent(measure)
    return f"{share:>{share_cells}}  {verdict:<12}"
