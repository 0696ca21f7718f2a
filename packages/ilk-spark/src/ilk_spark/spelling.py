"""Names that Spark can be given."""

from __future__ import annotations

from ilk import IlkError
from ilk.plugins import OptionError


def check_unicode_name(name: str, error: type[IlkError] = OptionError) -> str:
    """Return a name of a column, a file or a master, if it can be written in UTF-8.

    Raises:
        error: it cannot, such as a path in another encoding; Spark would lose its connection.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        raise error(
            f"{name!a} is not Unicode, and Spark takes no other names; rename it."
        ) from None
    return name
