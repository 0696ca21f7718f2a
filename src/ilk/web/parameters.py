"""Parameters of a query that tell who came and from where, not which page is meant.

The lists are part of the rules' version: they change with it and not otherwise. They were written
down in November 2026, from what advertisers and software for sites say of their own links.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: How names of parameters begin that measure campaigns.
_TRACKING_BEGINS = ("utm_", "mtm_", "piwik_", "hsa_", "gad_", "vero_", "oly_")

#: Names of parameters that measure campaigns.
_CAMPAIGNS = """
    pk_campaign pk_cid pk_content pk_keyword pk_kwd pk_medium pk_source
    itm_campaign itm_content itm_medium itm_source itm_term mc_cid mc_eid _hsenc _hsmi wt_mc
    wt.mc_id gclid gclsrc dclid gbraid wbraid srsltid _ga _gl fbclid igshid igsh msclkid twclid
    ttclid li_fat_id yclid ysclid _openstat epik rdt_cid mkt_tok _kx s_cid s_kwcid ef_id wickedid
    _branch_match_id irclickid
"""
_TRACKING = frozenset(_CAMPAIGNS.split())

#: Names of parameters that carry a session, and how others begin.
_SESSION = frozenset(
    {
        "asp.net_sessionid",
        "cfid",
        "cftoken",
        "jsessionid",
        "oscsid",
        "phpsessid",
        "session_id",
        "sessionid",
        "zenid",
    }
)
_SESSION_BEGINS = "aspsessionid"

#: A session in a path, as servers of Java and of ASP.NET write it.
SESSION_IN_PATH = re.compile(
    r";jsessionid=[^/;]*|/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/)", re.IGNORECASE
)

#: Characters from which on the value of ``sid`` is that of a session.
_SID_LENGTH = 32


def name(parameter: str) -> str:
    """The name of one ``name=value``."""
    return parameter.partition("=")[0]


def is_tracking(parameter: str) -> bool:
    """Whether a parameter, in any case, measures a campaign."""
    called = name(parameter).lower()
    return called in _TRACKING or called.startswith(_TRACKING_BEGINS)


def is_session(parameter: str) -> bool:
    """Whether a parameter, in any case, carries a session."""
    called, _, value = parameter.lower().partition("=")
    if called == "sid":
        return len(value) >= _SID_LENGTH and value.isalnum()
    return called in _SESSION or called.startswith(_SESSION_BEGINS)


def without(query: str, unwanted: Callable[[str], bool]) -> str | None:
    """A query without some parameters; None if that leaves nothing of it."""
    given = query.split("&")
    kept = [one for one in given if not unwanted(one)]
    if len(kept) == len(given):
        return query
    return "&".join(kept) if kept else None
