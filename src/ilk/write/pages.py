"""Pages from templates: one set of them and one style sheet for whatever ilk shows.

Templates escape every text. A page needs no network, and the policy in its head allows only its
own style sheet and its own script, so nothing in a document can run.
"""

from __future__ import annotations

import base64
import datetime
import gzip
import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ilk.base.sizes import spell_size
from ilk.search.measures import count_noun, format_percent

if TYPE_CHECKING:
    from jinja2 import Environment

#: A sign for each verdict, so that nothing depends on colours.
SIGNS = {
    "original": "★",
    "identical": "=",
    "exact": "≡",
    "key": "⚷",
    "numbers_only": "#",
    "near": "≈",
    "noisy": "∿",
    "contained": "⊂",
    "contains": "⊃",
    "connected": "⋯",
}

#: What people read for a verdict, where it differs from the verdict's own name.
WORDS = {"numbers_only": "numbers differ", "noisy": "noisy copy", "key": "same key"}


#: What a reader types, in a sentence.
_TYPED = re.compile(r"(--drop [a-z_,]+)")


@cache
def template_environment() -> Environment:
    """Return the environment of all templates, with the filters for what people read."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape

    from ilk.base.compiled import TemplateCacheIfWritable

    templates = Environment(
        loader=PackageLoader("ilk.write"),
        bytecode_cache=TemplateCacheIfWritable(str(resources.files("ilk.write") / "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "number": lambda value: f"{value:,}",
        "counted": count_noun,
        "sentence": typeset_sentence_with_inequality_signs,
        "size": lambda byte_count: "" if byte_count is None else spell_size(byte_count),
        "share": format_percent,
        "day": lambda moment: "" if moment is None else f"{moment:%Y-%m-%d}",
        "sign": lambda verdict: SIGNS.get(verdict, "◦"),
        "said": lambda verdict: WORDS.get(verdict, verdict),
        "kind": lambda verdict: verdict if verdict in SIGNS else "other",
        "path": lambda name: escape(name).replace("/", Markup("/<wbr>")),
        "typed": lambda text: Markup(_TYPED.sub(r"<code>\1</code>", str(escape(text)))),
        "quoted": lambda folder: shlex.quote(folder.rstrip("/")) if folder else "",
    }
    templates.globals["common_folder_prefix"] = common_folder_prefix
    return templates


def render_page(template: str, *scripts: str, **values: Any) -> str:
    """Return a whole page.

    Args:
        template: its file.
        scripts: the files that make the only script that may run.
        values: for the template.
    """
    style, code = read_template_file("style.css"), "".join(map(read_template_file, scripts))
    style_hash = content_policy_hash(style)
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {style_hash}"
    values |= {
        "style": style,
        "script": code,
        "policy": policy + (f"; script-src {content_policy_hash(code)}" if code else ""),
        "made": datetime.datetime.now().astimezone(),
    }
    found = template_environment().get_template(template)
    context = found.new_context(values)
    written = "".join(found.root_render_func(context))
    context.parent.clear()  # It is in a circle with its macros, and would hold all values.
    return written


def render_part(template: str, **values: Any) -> str:
    """Return a part of a page, for a notebook or another page."""
    return template_environment().get_template(template).render(**values)


@cache
def read_template_file(name: str) -> str:
    """Return a style sheet or a script."""
    return resources.files("ilk.write").joinpath("templates", name).read_text("utf-8")


def content_policy_hash(content: str) -> str:
    """Return the hash by which the policy of a page allows a style sheet or a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def pack_as_base64_json(values: Mapping[str, Any]) -> str:
    """Return values as JSON, packed with gzip and in base 64: no text in it can end an element."""
    written = json.dumps(values, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(written, 5, mtime=0)).decode()


def typeset_sentence_with_inequality_signs(text: str) -> str:
    r"""Return words with a capital letter, a stop, and signs such as "≥".

    >>> typeset_sentence_with_inequality_signs("exact: every pair at >= 0.8")
    'Exact: every pair at ≥\xa00.8.'
    """
    text = text.replace(">= ", "≥\xa0").replace("<= ", "≤\xa0")
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" else ".")


def first_words(text: str | None, max_characters: int = 80) -> str:
    """Return the first words of a text, on one line, at a number of characters at most.

    >>> first_words("some words of a text", 12)
    'some words …'
    """
    short = " ".join((text or "")[: 2 * max_characters].split())
    if len(short) <= max_characters:
        return short
    return short[:max_characters].rsplit(" ", 1)[0] + " …"


def common_folder_prefix(names: Sequence[str]) -> str:
    """Return the folder that all names have in common, with a slash, or an empty text.

    >>> common_folder_prefix(["a/b/c.txt", "a/b/d/e.txt"]), common_folder_prefix(["a.txt", "b.txt"])
    ('a/b/', '')
    >>> common_folder_prefix(["a/b.txt"])
    'a/'
    """
    begin = os.path.commonprefix(list(names))  # noqa: RUF071  # A slash follows.
    return begin[: begin.rfind("/") + 1]
