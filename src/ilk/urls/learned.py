"""Which rules hold on a site, from the pages that were seen under its URLs.

A rule says that two spellings name one page. Where both were fetched, their contents show it. So a
parameter is left out where pages prove that it does not matter, not where its name looks like it.

Source: Bar-Yossef, Keidar and Schonfeld 2007, "Do not crawl in the DUST", who look for rules that
hold on one site. Here a rule is a named one, or leaves out a parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from ilk import _kernels
from ilk.errors import OptionError, UrlError
from ilk.urls.canonicalising import answer
from ilk.urls.rules import RULES
from ilk.urls.sites import site as site_of

#: Different pages that must be the same under both spellings, and their part of all that are seen.
LEAST, SHARE = 3, 0.95

#: What pages are not asked: the standards say it, and a server never sees a fragment.
_BASE = ("escapes", "fragment")
_ASKED = [name for name in RULES if name not in _BASE]

#: How a rule is called that leaves out a parameter.
_PARAMETER = "parameter:"


class Finding(NamedTuple):
    """What the pages of a site say of a rule.

    Attributes:
        site: the host, without ``www``.
        rule: a name of ``RULES``, or ``parameter:NAME``.
        same: different pages that are the same under spellings that the rule makes equal.
        different: URLs under which the rule would merge pages that differ.
        holds: whether the rule is used.
    """

    site: str
    rule: str
    same: int
    different: int
    holds: bool


@dataclass(frozen=True)
class Learned:
    """The rules that were learned of sites.

    Attributes:
        findings: by site and rule; nothing is said of rules that no two URLs could prove.
    """

    findings: list[Finding]

    def canonical(self, url: str) -> str:
        """Return the URL in the form that the rules of its site give.

        Raises:
            UrlError: it is not an absolute URL.
        """
        base = answer(_rules(_BASE).canonical, url)
        site = site_of(base)
        return base if site is None else answer(_rules(self.rules(site)).canonical, base)

    def rules(self, site: str) -> tuple[str, ...]:
        """Return what is applied to URLs of a site: names of rules, and ``parameter:NAME``."""
        return self._holding.get(site, _BASE)

    @cached_property
    def _holding(self) -> dict[str, tuple[str, ...]]:
        by_site: dict[str, tuple[str, ...]] = {}
        for finding in self.findings:
            if finding.holds:
                by_site[finding.site] = (*by_site.get(finding.site, _BASE), finding.rule)
        return by_site


def learn(
    pages: Iterable[tuple[str, Hashable]], *, least: int = LEAST, share: float = SHARE
) -> Learned:
    """Learn from pages which rules their sites follow.

    A content that stands under many URLs, such as an error page, counts but once for a rule. Rules
    of a site are learned one after another, the best first, and each together with those before it.
    Two parameters that are never seen one without the other stay.

    Args:
        pages: URLs, each with something that is equal where the contents are, such as a digest.
            Of several fetches of a URL the first counts; what is no URL is left out.
        least: the least number of different contents that prove a rule.
        share: the least part of the evidence that must speak for it; at 1 no two URLs are made
            equal that were seen with different contents.

    Raises:
        OptionError: an option is out of bounds.
    """
    if least < 1 or not 0.5 < share <= 1:
        raise OptionError(
            f"least is {least!r} and share is {share!r}; least must be 1 or more, and share above "
            "0.5 and at most 1."
        )
    seen: dict[str, Hashable] = {}
    for url, content in pages:
        try:
            seen.setdefault(answer(_rules(_BASE).canonical, url), content)
        except UrlError:
            continue
    holding: list[Finding] = []
    while True:
        learned = Learned(holding)
        findings = sorted(_findings(seen, learned, least, share))
        best = _best(findings)
        if not best:
            return Learned(sorted([*holding, *findings]))
        holding += best
        learned, merged = Learned(holding), dict[str, Hashable]()
        for url, content in seen.items():
            merged.setdefault(learned.canonical(url), content)
        seen = merged


def _best(findings: Iterable[Finding]) -> list[Finding]:
    """Return per site the rule that holds and makes most pages one."""
    best: dict[str, Finding] = {}
    for finding in findings:
        rival = best.get(finding.site)
        if finding.holds and (rival is None or finding.same > rival.same):
            best[finding.site] = finding
    return list(best.values())


def _findings(
    seen: Mapping[str, Hashable], learned: Learned, least: int, share: float
) -> Iterator[Finding]:
    """Yield what the pages say of rules that, beside those learned, would make two URLs equal."""
    same: dict[tuple[str, str], set[Hashable]] = defaultdict(set)
    different: dict[tuple[str, str], int] = defaultdict(int)
    for (site, name, target), urls in _merged(seen, learned).items():
        together = [*urls, target] if target in seen else urls
        contents = {seen[url] for url in together}
        if len(contents) > 1:
            different[site, name] += 1
        elif len(together) > 1:
            same[site, name] |= contents
    for site, name in same.keys() | different.keys():
        count, against = len(same[site, name]), different[site, name]
        holds = count >= least and count >= share * (count + against)
        yield Finding(site, name, count, against, holds)


def _merged(seen: Iterable[str], learned: Learned) -> dict[tuple[str, str, str], list[str]]:
    """Return per site, rule and URL that it gives, the URLs that it would change into that."""
    merged: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for url in seen:
        site = site_of(url)
        if site is None:
            continue
        query = url.partition("#")[0].partition("?")[2]
        parameters = {pair.partition("=")[0] for pair in query.split("&")} - {""}
        for name in [*_ASKED, *(_PARAMETER + parameter for parameter in sorted(parameters))]:
            target = answer(_rules((*learned.rules(site), name)).canonical, url)
            if target != url:
                merged[site, name, target].append(url)
    return merged


@lru_cache
def _rules(names: tuple[str, ...]) -> _kernels.UrlRules:
    """Return rules by their names, and parameters to be left out by theirs."""
    named = [name for name in names if not name.startswith(_PARAMETER)]
    left_out = [name.removeprefix(_PARAMETER) for name in names if name.startswith(_PARAMETER)]
    return _kernels.UrlRules(named, left_out)


#: The former name of ``Learned``, for programs that import it.
Evidence = Learned
