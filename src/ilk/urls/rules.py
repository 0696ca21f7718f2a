"""What may be changed in a URL: every rule has a name, and a profile is a choice of rules.

``safe`` keeps to what RFC 3986 and the WHATWG standard call the same URL; ``crawl`` adds what
almost always names the same page; ``aggressive`` what often does. A profile with changes is written
``crawl-order+www``. The standard's own spelling is not a rule: it is where all of them begin.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ilk import _kernels
from ilk.errors import OptionError

#: Changes with any rule and any list; canonical URLs of two versions may differ.
VERSION = 1

#: Every rule in the order in which they are used, and what it does.
RULES = dict(_kernels.url_rules())

SAFE = ("escapes",)
CRAWL = (*SAFE, "fragment", "dot", "session", "tracking", "empty", "order", "index")

#: The rules of every profile.
PROFILES = {"safe": SAFE, "crawl": CRAWL, "aggressive": tuple(RULES)}

#: The profile where none is named.
PROFILE = "crawl"


@lru_cache
def rules(profile: str) -> _kernels.UrlRules:
    """Return the rules of a profile such as ``crawl`` or ``crawl-order+www``.

    Raises:
        OptionError: it names a profile or a rule that there is not.
    """
    base, *changes = re.split(r"(?=[+-])", profile)
    chosen = set(PROFILES.get(base, ()))
    if base not in PROFILES or any(change[1:] not in RULES for change in changes):
        raise OptionError(
            f"profile is {profile!r}; it must be one of {', '.join(PROFILES)}, with +RULE or -RULE "
            f"after it for each rule to add or leave out: {', '.join(RULES)}."
        )
    for change in changes:
        (chosen.add if change[0] == "+" else chosen.discard)(change[1:])
    return _kernels.UrlRules(sorted(chosen), [])
