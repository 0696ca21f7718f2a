"""The fingerprints that the author printed, and those that the recipe ``roth2013`` gives two texts.

Source: M. S. Roth 2014, "Find Similar Documents Without Using a Full Text Index", Table 20. Two of
its files are texts in the public domain, which this package has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import ilk
from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.roth2011.collection import TEXTS
from ilk_papers.roth2013.published import TABLE_20
from ilk_papers.simhash import distance

#: The author's name of a text, and ours.
SHIPPED = {"gettysburg.txt": "gettysburg.txt", "us-const.txt": "us-constitution-1787.txt"}

#: Recipes that are not the author's, as a control: unrelated fingerprints are 32 bits apart.
CONTROLS = {"default": "default", "words": "similarity-index"}


class Table20Line(NamedTuple):
    """A line of Table 20.

    Attributes:
        file: its name.
        fingerprint: 64 bits.
        found_for: the file that was looked for; None if this file was looked for.
        published: the printed similarity of the two.
        computed: the share of the 64 bits in which both printed fingerprints agree.
    """

    file: str
    fingerprint: int
    found_for: str | None
    published: float | None
    computed: float | None


def table_20_lines() -> Iterator[Table20Line]:
    """Yield the lines of Table 20, and each similarity as the printed fingerprints have it."""
    file_of_group, fingerprint_of_group = "", 0
    for file, fingerprint, published_share in TABLE_20:
        if published_share is None:
            file_of_group, fingerprint_of_group = file, fingerprint
            yield Table20Line(
                file=file, fingerprint=fingerprint, found_for=None, published=None, computed=None
            )
        else:
            share = 1 - distance(fingerprint_of_group, fingerprint) / 64
            yield Table20Line(
                file=file,
                fingerprint=fingerprint,
                found_for=file_of_group,
                published=published_share,
                computed=share,
            )


def texts_by_line_end(text: str) -> dict[str, str]:
    r"""Return a text with the line ends that it may have had, by what they are.

    >>> [*texts_by_line_end("a\nb\n").values()]
    ['a\nb\n', 'a\r\nb\r\n', 'a\r\nb']
    """
    windows = text.replace("\n", "\r\n")
    return {
        "LF": text,
        "CRLF": windows,
        "CRLF, none at the end": text.rstrip("\n").replace("\n", "\r\n"),
    }


def shipped_text(name: str) -> str:
    """Return the text of a file of ``SHIPPED``; its lines end in LF."""
    return (TEXTS / SHIPPED[name]).read_bytes().decode().replace("\r\n", "\n")


def printed_similarities_table() -> Exhibit:
    """Show the printed fingerprints, and the similarities that follow from them."""
    rows: list[tuple[Value, ...]] = [
        (
            each.file if each.found_for is None else f">> {each.file}",
            f"{each.fingerprint:016x}",
            _spell_fraction_or_empty(each.published),
            _spell_fraction_or_empty(each.computed),
            None if each.computed is None else round(64 * (1 - each.computed)),
        )
        for each in table_20_lines()
    ]
    count = sum(each.computed is not None for each in table_20_lines())
    columns = ("file", "fingerprint", "published", "computed", "bits apart")
    note = (
        ">> is a file that was found for the last one above it without that mark.\n"
        f"The article prints {len(TABLE_20)} fingerprints and {count} similarities. A similarity "
        "is the share of the 64 bits that agree: 62 of 64 are 0.96875."
    )
    title = "What the author printed in 2014 (Table 20): fingerprints and similarities"
    return make_exhibit("author-similarities", title, columns, rows, note=note)


def _spell_fraction_or_empty(share: float | None) -> str:
    return "" if share is None else f"{share:.6f}".rstrip("0").removesuffix(".")


def own_fingerprints_table() -> Exhibit:
    """Show what the recipe ``roth2013`` gives the two texts, by their line ends."""
    rows: list[tuple[Value, ...]] = []
    print_of_file = {file: fingerprint for file, fingerprint, _ in TABLE_20}
    for name in SHIPPED:
        forms = texts_by_line_end(shipped_text(name))
        made = ilk.fingerprint(list(forms.values()), recipe="roth2013").to_pylist()
        rows += [
            (name, "roth2013", form, f"{print_of_file[name]:016x}", f"{here:016x}", apart)
            for form, here in zip(forms, made, strict=True)
            for apart in [distance(print_of_file[name], here)]
        ]
        for control, recipe in CONTROLS.items():
            (here,) = ilk.fingerprint([forms["CRLF"]], recipe=recipe).to_pylist()
            apart = distance(print_of_file[name], here)
            rows.append(
                (name, control, "CRLF", f"{print_of_file[name]:016x}", f"{here:016x}", apart),
            )
    columns = ("file", "recipe", "line ends", "published", "here", "bits apart")
    note = (
        "Both texts have the author's fingerprint to the bit where their lines end in CRLF, as in "
        "files of DOS; the Address has no line end at its end. The recipe takes white space as it "
        "stands, so that line ends count: with LF alone the two are 11 and 7 bits away. Other "
        "recipes are about 32 bits away, as two unrelated numbers are."
    )
    title = "The recipe is the author's: two of his texts have his fingerprints"
    return make_exhibit("author-proof", title, columns, rows, note=note)


def own_bits_table(name: str) -> Exhibit:
    """Show the author's bits of a text above ours, and mark those that other line ends change."""
    (printed,) = (fingerprint for file, fingerprint, _ in TABLE_20 if file == name)
    forms = texts_by_line_end(shipped_text(name))
    made = ilk.fingerprint(list(forms.values()), recipe="roth2013").to_pylist()
    changed = f"{printed ^ made[0]:064b}".replace("0", ".").replace("1", "^")
    rows = [
        ("published", f"{printed:064b}"),
        ("here", f"{made[-1]:064b}"),
        ("LF", f"{made[0]:064b}"),
        ("differ", changed),
    ]
    note = f"Here: the text with {[*forms][-1]}. Differ: the bits that lines ended by LF change."
    title = f"The author's bits of {name} and ours"
    place = f"author-bits-{name.partition('.')[0]}"
    return make_exhibit(place, title, ("what", "bits"), rows, note=note)
