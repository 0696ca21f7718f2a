"""Options from a file: ``ilk.toml`` in the working folder, or that of ``--config``.

Names are those of options, at the top for every verb, or in a table of one verb::

    exclude = ["*.bak"]
    limit.memory = "1GB"

    [scan]
    resemblance = 0.9

    [store.check]
    containment = 0.9

The command line wins over the table of a verb, and that over the top. An ``ilk.toml`` that merely
lies in a folder may not name programs, files, tables or addresses: these need ``--config``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ilk.base.errors import OptionError, reason_of_error
from ilk.base.options import GROUPS, OPTIONS, Option, flag_of
from ilk.cli.wording import suggestion_or_empty

#: The name of the file that is read without being named, and the word for none.
NAME, NONE = "ilk.toml", "none"


def read_options_from_config_file(
    config_file: str | None,
    *,
    command: str,
    options: Mapping[str, Option],
    parts: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    """Return the options of a command in the named file, or in ``ilk.toml`` if it exists, by name.

    Args:
        config_file: its name; None for ``ilk.toml``, ``none`` for no file.
        command: the words of the command, such as ``ilk store check``.
        options: the options of the command.
        parts: the names of their parts, by the option that has them.
    """
    if config_file == NONE or (config_file is None and not Path(NAME).is_file()):
        return {}
    import tomllib

    from ilk.base import packages
    from ilk.cli.verbs import VERBS

    path = NAME if config_file is None else config_file
    try:
        table: Mapping[str, Any] = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"{path} cannot be read: {reason_of_error(error)}.") from None
    own = {name for name, option in options.items() if not option.part} | {*parts}
    names_allowed = own | {name for name, option in OPTIONS.items() if not option.part} | {*GROUPS}
    verbs = {*VERBS, *packages.entry_points_in_ilk_group("verbs")}
    settings: dict[str, Any] = {}
    words, place = command.split()[1:], ""
    while True:
        for key, value in table.items():
            name = key.replace("-", "_")
            name = name if name in names_allowed or f"{name}_" not in names_allowed else f"{name}_"
            if key in verbs and isinstance(value, Mapping):
                continue
            if name not in names_allowed - {"config", "color"}:
                if not place and name in _load_option_names_of_packages() - {"config", "color"}:
                    continue
                where = f" in [{place}]" if place else ""
                others = {*verbs, *(flag_of(it)[2:] for it in names_allowed)} - {key}
                near = suggestion_or_empty(key, others) or "."
                raise OptionError(f"{path}{where}: there is no option {key}{near}")
            if name in own:
                settings[name] = value
                value_text = (
                    [f"{it}=" for it in value] if isinstance(value, Mapping) else str(value)
                )
                names = [
                    name,
                    *(its for part, its in parts.get(name, {}).items() if f"{part}=" in value_text),
                ]
                refused = sorted(
                    it for it in names if it in options and options[it].refused_in_default_config
                )
                if config_file is None and refused:
                    raise OptionError(
                        f"{path} names {refused[0].replace('_', '-')}, which a file that merely "
                        "lies in the folder may not; give it on the command line, or the file: "
                        f"--config {path}"
                    )
        if not words or words[0] not in table:
            return settings
        word = words.pop(0)
        table, place = table[word], f"{place}.{word}".strip(".")
        names_allowed, verbs = (
            own,
            {*words[:1]},
        )  # A table of a verb has options of this verb alone.


def _load_option_names_of_packages() -> set[str]:
    """Load the verbs of packages, and return the names of their options that are no parts.

    They are loaded only for a name that the core does not know.
    """
    from ilk.base import packages

    options = set[str]()
    for point in packages.entry_points_in_ilk_group("verbs").values():
        entries = packages.load_entry_point(point).parser().entries
        options |= {name for name, option in entries.items() if not option.part}
    return options


def spell_options_from_config_file(args: argparse.Namespace, flags: Mapping[str, str]) -> str:
    """Return which options came from the file; ``flags``: as a user types them, by name."""
    listed = []
    for name, value in args.configured.items():
        plain = float(value) if isinstance(value, Fraction) else "" if value is True else value
        plain = " ".join(map(str, value)) if isinstance(value, list) else plain
        listed.append(f"{flags[name]} {plain}".rstrip())
    return f"from {args.config or NAME}: {', '.join(listed)}"
