"""Which rules hold on a site, from the pages that were seen under its URLs.

A rule says that two spellings name one page. If both were fetched, their contents show whether that
is true. So a parameter is left out if pages prove that it does not matter, not because of its name.

Source: Bar-Yossef, Keidar and Schonfeld 2007, "Do not crawl in the DUST", who look for rules that
hold on one site. Here a rule has a name, or leaves out a parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from ilk.companions import kernels as _kernels
from ilk.plugins import OptionError
from ilk_web.errors import UrlError
from ilk_web.urls.canonicalising import ask_kernel_or_refuse
from ilk_web.urls.rules import RULES
from ilk_web.urls.sites import site_of_url as site_of

#: The least number of different pages that are the same under both spellings, and their least share
#: of all pages seen.
LEAST, SHARE = 3, 0.95

#: Rules that need no evidence: the standards define them, a server never sees a fragment, and what
#: follows visitors from page to page is left out by its name, as the default profile does: else it
#: would hide what another parameter beside it proves.
_BASE = ("escapes", "fragment", "tracking")
_ASKED = [name for name in RULES if name not in _BASE]

#: The name of a rule that leaves out a parameter.
_PARAMETER = "parameter:"


class _RuleResult(NamedTuple):
    """The URL into which a rule changes URLs of a site."""

    site: str
    rule: str
    url: str


class Finding(NamedTuple):
    """The evidence for a rule from the pages of a site.

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
    """The rules learned for sites.

    Attributes:
        findings: by site and rule, without rules that no two URLs could prove.
    """

    findings: list[Finding]

    def canonical(self, url: str) -> str:
        """Return the URL after the rules of its site.

        Raises:
            UrlError: it is not an absolute URL.
        """
        base = ask_kernel_or_refuse(_kernel_rules(_BASE).canonicalise_if_absolute, url)
        site = site_of(base)
        return (
            base
            if site is None
            else ask_kernel_or_refuse(
                _kernel_rules(self.rules(site)).canonicalise_if_absolute, base
            )
        )

    def rules(self, site: str) -> tuple[str, ...]:
        """Return the rules for URLs of a site: names of rules, and ``parameter:NAME``."""
        return self._rules_by_site.get(site, _BASE)

    @cached_property
    def _rules_by_site(self) -> dict[str, tuple[str, ...]]:
        by_site: dict[str, tuple[str, ...]] = {}
        for finding in self.findings:
            if finding.holds:
                by_site[finding.site] = (*by_site.get(finding.site, _BASE), finding.rule)
        return by_site


def learn(
    pages: Iterable[tuple[str, Hashable]], *, least: int = LEAST, share: float = SHARE
) -> Learned:
    """Learn from pages which rules their sites follow.

    Content at many URLs, such as an error page, counts only once for a rule. Rules of a site are
    learned one after another, the best first, each together with those before it. Two parameters
    that only occur together are kept.

    Args:
        pages: URLs, each with something that is equal if the contents are, such as a digest. Of
            several fetches of a URL, the first counts; anything that is not a URL is left out.
        least: the least number of different contents that prove a rule.
        share: the least part of the evidence that must support it; at 1, URLs that were seen with
            different contents are never made equal.

    Raises:
        OptionError: an option is out of bounds.
    """
    if least < 1 or not 0.5 < share <= 1:
        raise OptionError(
            f"least is {least!r} and share is {share!r}; least must be 1 or more, and share above "
            "0.5 and at most 1."
        )
    value_of: dict[str, Hashable] = {}
    for url, content in pages:
        try:
            value_of.setdefault(
                ask_kernel_or_refuse(_kernel_rules(_BASE).canonicalise_if_absolute, url), content
            )
        except UrlError:
            continue
    holding: list[Finding] = []
    while True:
        rules = Learned(holding)
        findings = sorted(_test_further_rules(value_of, rules, least, share))
        best = _best_holding_finding_per_site(findings)
        if not best:
            return Learned(sorted([*holding, *findings]))
        holding += best
        rules, merged = Learned(holding), dict[str, Hashable]()
        for url, content in value_of.items():
            merged.setdefault(rules.canonical(url), content)
        value_of = merged


def _best_holding_finding_per_site(findings: Iterable[Finding]) -> list[Finding]:
    """Return for each site the rule that holds and merges the most pages."""
    best: dict[str, Finding] = {}
    for finding in findings:
        rival = best.get(finding.site)
        if finding.holds and (rival is None or finding.same > rival.same):
            best[finding.site] = finding
    return list(best.values())


def _test_further_rules(
    content_by_url: Mapping[str, Hashable], learned_rules: Learned, least: int, share: float
) -> Iterator[Finding]:
    """Yield the evidence for rules that, in addition to those learned, would make two URLs
    equal.
    """
    same: dict[tuple[str, str], set[Hashable]] = defaultdict(set)
    different: dict[tuple[str, str], int] = defaultdict(int)
    for (site, name, target), urls in _group_urls_by_rule_result(
        content_by_url, learned_rules
    ).items():
        together = [*urls, target] if target in content_by_url else urls
        contents = {content_by_url[url] for url in together}
        if len(contents) > 1:
            different[site, name] += 1
        elif len(together) > 1:
            same[site, name] |= contents
    for site, name in same.keys() | different.keys():
        count, against = len(same[site, name]), different[site, name]
        holds = count >= least and count >= share * (count + against)
        yield Finding(site=site, rule=name, same=count, different=against, holds=holds)


def _group_urls_by_rule_result(
    seen_urls: Iterable[str], learned_rules: Learned
) -> dict[_RuleResult, list[str]]:
    """Return the URLs that each further rule would change, by what it would change them into."""
    urls_by_result: dict[_RuleResult, list[str]] = defaultdict(list)
    for url in seen_urls:
        site = site_of(url)
        if site is None:
            continue
        query = url.partition("#")[0].partition("?")[2]
        parameters = {pair.partition("=")[0] for pair in query.split("&")} - {""}
        for name in [*_ASKED, *(_PARAMETER + parameter for parameter in sorted(parameters))]:
            target = ask_kernel_or_refuse(
                _kernel_rules((*learned_rules.rules(site), name)).canonicalise_if_absolute, url
            )
            if target != url:
                urls_by_result[_RuleResult(site, name, target)].append(url)
    return urls_by_result


@lru_cache
def _kernel_rules(names: tuple[str, ...]) -> _kernels.UrlRules:
    """Return the kernel's form of rules: names of ``RULES``, and ``parameter:NAME``."""
    named = [name for name in names if not name.startswith(_PARAMETER)]
    left_out = [name.removeprefix(_PARAMETER) for name in names if name.startswith(_PARAMETER)]
    return _kernels.UrlRules(named, left_out)


#: The old name of ``Learned``, for programs that import it.
Evidence = Learned
