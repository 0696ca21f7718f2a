"""Texts whose letter case and indentation mean something: source code, and data for programs."""

from __future__ import annotations

_NAMES = """
ada adb adoc ads asm awk bas bash bat c cc cfg clj cljs cmake cmd conf cpp cs css cu cxx d dart diff
el elm erl ex exs f f03 f77 f90 f95 for fs fsx go gradle groovy h hcl hh hpp hs hxx ini ino ipp java
jl js json json5 jsonc jsx kt kts less lisp lua m mak make markdown md mk ml mli mm nim nix org
patch php pl pm pp properties proto ps1 pxd py pyi pyw pyx r rake rb rego rkt rs rst s sass scala
scm scss sh sql sv svelte swift tcl tex tf thrift toml ts tsx v vb vba vhd vhdl vim vue xml xsl xslt
yaml yml zig zsh
"""

#: Extensions where white space and case carry meaning.
LAID_OUT = frozenset(f".{name}" for name in _NAMES.split())


def strip_trailing_white_space_and_blank_lines(text: bytes) -> bytes:
    """Return what counts in such a text: its lines, without what nobody sees at their ends."""
    return b"\n".join(line.rstrip() for line in text.splitlines()).rstrip(b"\n")
