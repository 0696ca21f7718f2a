"""Rules for URLs: each has a name, and a profile is a choice of rules.

``safe`` has the rules that RFC 3986 and the WHATWG standard allow; ``crawl`` adds those under which
a URL almost always names the same page; ``aggressive``, those under which it often does. A profile
with changes is written ``crawl-order+www``. The standard's own spelling is not a rule: all of them
start from it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ilk.companions import kernels as _kernels
from ilk.plugins import OptionError

#: Changes whenever a rule or a list changes; canonical URLs of two versions may differ.
VERSION = 1

#: Every rule in the order in which they apply, and what it does.
RULES = dict(_kernels.list_url_rules())

SAFE = ("escapes",)
CRAWL = (*SAFE, "fragment", "dot", "session", "tracking", "empty", "order", "index")

#: The rules of every profile.
PROFILES = {"safe": SAFE, "crawl": CRAWL, "aggressive": tuple(RULES)}

#: The default profile.
PROFILE = "crawl"


@lru_cache
def rules_of_profile(profile: str) -> _kernels.UrlRules:
    """Return the rules of a profile such as ``crawl`` or ``crawl-order+www``.

    Raises:
        OptionError: it names a profile or a rule that does not exist.
    """
    base, *changes = re.split(r"(?=[+-])", profile)
    names = set(PROFILES.get(base, ()))
    if base not in PROFILES or any(change[1:] not in RULES for change in changes):
        raise OptionError(
            f"profile is {profile!r}; it must be one of {', '.join(PROFILES)}, with +RULE or -RULE "
            f"after it for each rule to add or leave out: {', '.join(RULES)}."
        )
    for change in changes:
        (names.add if change[0] == "+" else names.discard)(change[1:])
    return _kernels.UrlRules(sorted(names), [])
