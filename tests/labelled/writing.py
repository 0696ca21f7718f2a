"""The set in a folder, as labelled sets lie in one: documents, and beside them the labels."""

from __future__ import annotations

from pathlib import Path

from tests.labelled import families, labels

#: The folder of the documents, and what the names of its labels hold.
NAME = "made"

#: Pairs that share less are not in the labels.
_LEAST = 0.2


def write(root: Path) -> None:
    """Write documents, resemblances, numbers, families and quotations below a folder.

    ``made/`` holds the documents. ``labels/`` holds ``jaccard-oracle-made.tsv`` (two files and the
    resemblance of every pair from 0.2 up), ``made-numbers.tsv`` (two files that differ only in
    numbers), ``made-families.tsv`` (file, family, version) and ``made-quotations.tsv`` (a file,
    and the file that stands in it as a whole).
    """
    documents = families.documents()
    for document in documents:
        path = root / NAME / document.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(document.content)
    texts = {each.name: each.units for each in documents}
    known = labels.resemblances(texts, _LEAST)
    tables: dict[str, list[tuple[str, ...]]] = {
        f"jaccard-oracle-{NAME}": [
            (f"{NAME}/{left}", f"{NAME}/{right}", f"{value:.4f}")
            for (left, right), value in sorted(known.items())
        ],
        f"{NAME}-numbers": [
            (f"{NAME}/{left}", f"{NAME}/{right}") for left, right in labels.differ_in_numbers(texts)
        ],
        f"{NAME}-families": [(f"{NAME}/{d.name}", d.family, str(d.version)) for d in documents],
        f"{NAME}-quotations": [
            (f"{NAME}/{host}", f"{NAME}/{quotation}")
            for host, quotation in families.quoted().items()
        ],
    }
    for name, rows in tables.items():
        path = root / "labels" / f"{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes("".join("\t".join(row) + "\n" for row in rows).encode())
