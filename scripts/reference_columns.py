"""The page of columns: what every table that ilk writes holds, with type and unit."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ilk.cli import main as cli

_INTRODUCTION = """\
These are the columns of the tables that ilk writes as Parquet, read from files that the commands
have just written. CSV and JSON lines use the same names; JSON lines nest the members of a cluster.
An empty field of CSV is null. [Results](results.md) explains families, clusters and verdicts. A
column that means the same in an earlier table is named above the later one.
"""

#: The tables: a title, the commands that write one, and its file.
_TABLES = (
    ("ilk scan", ["scan in --containment --format parquet -o out.parquet"], "out.parquet"),
    ("ilk scan --format pairs", ["scan in --format pairs -o pairs.parquet"], "pairs.parquet"),
    (
        "ilk dedup: OUT.ilk/clusters.parquet, pairs.parquet, dropped.parquet",
        ["dedup rows.jsonl -o once.jsonl"],
        "once.jsonl.ilk/dropped.parquet",
    ),
    (
        "ilk dedup --annotate",
        ["dedup texts.parquet -o all.parquet --annotate"],
        "all.parquet",
    ),
    (
        "ilk passages",
        ["passages in --words 6 --format parquet -o passages.parquet"],
        "passages.parquet",
    ),
    ("ilk fingerprint", ["fingerprint in --format parquet -o prints.parquet"], "prints.parquet"),
    ("ilk changes", ["changes rows.jsonl --format parquet -o changes.parquet"], "changes.parquet"),
    ("ilk mirrors", ["mirrors rows.jsonl --format parquet -o mirrors.parquet"], "mirrors.parquet"),
    (
        "ilk mirrors --pages",
        ["mirrors rows.jsonl --pages --format parquet -o pages.parquet"],
        "pages.parquet",
    ),
    (
        "ilk store export",
        ["store add s.ilk in", "store export s.ilk stored.parquet"],
        "stored.parquet",
    ),
)

_HEAD = ("| name | type | what it holds, and its unit |", "|---|---|---|")
_TYPES = {"large_string": "string", "large_binary": "binary", "double": "float64"}

#: What a column holds, and its unit; by table and name where a name means two things.
_MEANINGS = {
    "added": "when it was added (microseconds since 1970, UTC)",
    "after": "source of the later capture",
    "also_like": "source of the document outside the cluster that the keeper is most like",
    "also_like_doc": "row of that document, from 0",
    "also_resemblance": "resemblance of the keeper to that document (0 to 1)",
    "before": "source of the earlier capture",
    "bytes_digest": "digest of its bytes (16 bytes)",
    "canonical": "the page that stands for all its copies on mirrors; itself without copies",
    "character_shingles": "ids of 3-character shingles (32 bits each, packed)",
    "cluster": "number, from 0 in the order of the documents",
    "common": "pages at paths that both have (count)",
    "contained_in_keeper": "shared shingles over those of the member (0 to 1)",
    "containment_left": "shared shingles over those of the left document (0 to 1)",
    "containment_right": "shared shingles over those of the right document (0 to 1)",
    "contains_keeper": "shared shingles over those of the keeper (0 to 1)",
    "copy_of": "id of the stored document with the same text",
    "digest": "digest of its normalised text (16 bytes)",
    "distance": "number of bits in which the fingerprints differ; null if one is missing",
    "doc": "row of the document, from 0",
    "duplicate_of": "id of the document that it was linked to when it was added",
    "earlier_doc": "row of the document where the passage appears first",
    "earlier_source": "source of that document",
    "earlier_start": "where the passage begins there (in words, from 0)",
    "end": "where it ends (in words, exclusive)",
    "end_byte": "where it ends (in bytes of UTF-8, exclusive)",
    "family": "number, from 0 in the order of the documents",
    "fingerprint": "64 bits as a signed number, or 128 bits as 16 bytes; null with a reason",
    "fetched": "when that copy was fetched",
    "freshest": "the copy of the page that was fetched last; null if no time is known",
    "from": "time of the earlier capture",
    "group": "the folder with the most pages of those that mirror one another; null at levels 3, 5",
    "id": "the id of its row; null if it has none",
    "identical": "pages with equal texts (count)",
    "ilk_cluster": "number of its cluster; null for a row like no other",
    "ilk_keeper": "source of the row that stays",
    "ilk_resemblance": "resemblance to that row (0 to 1)",
    "ilk_verdict": "what the row is to its keeper; `keeper` for the row that stays",
    "in_links": "pages that link to it or to a copy of it (count); null without --link",
    "keeper": "source of the document that stays",
    "keeper_doc": "row of the keeper, from 0",
    "keeper_id": "the id of the keeper's row",
    "kind": "the weakest verdict in the cluster; `empty` for empty files",
    "size": "the bytes of the document; null for rows",
    "left": "source of one document, or root of one mirror",
    "left_pages": "pages of the left root (count)",
    "length": "length of the text (bytes of UTF-8)",
    "level": "1 to 5, the closest first",
    "masked_digest": "digest of the text with its numbers masked (16 bytes)",
    "measured_by": "words per shingle of its evidence",
    "metadata": "the metadata given with it, as JSON",
    "near": "pages with nearly equal texts (count)",
    "occurrences": "places where the passage appears (count)",
    "page": "the address of a page, as it was given",
    "passage": "number, from 0; the places of one passage share it",
    "policy": "the rule by which the row goes: a policy, `against` or `none`; null if it stays",
    "reason": "why there is no fingerprint",
    "recipe": "how its fingerprint was made",
    "resemblance": "shared shingles over all shingles of both (0 to 1, exact)",
    "right": "source of the other document, or root of the other mirror",
    "right_pages": "pages of the right root (count)",
    "similar": "pages that share some text (count)",
    "source": "the name of the document: a path, `file#row`, a name in an archive",
    "start": "where it begins (in words, from 0)",
    "start_byte": "where it begins (in bytes of UTF-8, from 0)",
    "text": "the text, if the store keeps texts",
    "title": "its title",
    "to": "time of the later capture",
    "updated": "when it was last changed (microseconds since 1970, UTC)",
    "url": "the address",
    "verdict": "what the document is to its keeper, or the left one to the right one",
    "wide": "whether its shingles are kept in 64 bits too",
    "word_hashes": "of a large set, the whole hashes of word shingles (64 bits each, packed)",
    "word_shingles": "ids of word shingles (32 bits each, packed); null if the hashes are there",
    "words": "words of the text (count)",
    ("ilk store export", "character_shingles"): "ids of 3-character shingles (32 bits each, "
    "packed); null if no text is compared by them",
    ("ilk store export", "id"): "number of the document in the store",
    ("ilk store export", "keeper"): "id of the keeper of its cluster",
}

_TEXT = "the board met on four march at nine in the long room with the chair and the treasurer "


def page() -> str:
    """Return the whole page.

    Raises:
        KeyError: a column has no meaning here.
    """
    parts = ["# Columns", _INTRODUCTION.rstrip()]
    explained: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _write_input_files(Path(folder))
        for title, commands, written in _TABLES:
            for command in commands:
                _run_command(command)
            parts.append(f"## {title}")
            rows = _rows_by_name(title, pq.read_schema(written))
            known: dict[str, list[str]] = {}
            for name, row in rows.items():
                known.setdefault(explained.setdefault(row, title), []).append(f"`{name}`")
            new = [row for row in rows.values() if explained[row] == title]
            for earlier, names in known.items():
                if earlier != title:
                    parts.append(
                        _wrap_line(f"As in `{earlier.partition(':')[0]}`: {', '.join(names)}.")
                    )
            parts.append("\n".join((*_HEAD, *new)))
    return "\n\n".join(parts) + "\n"


def _write_input_files(folder: Path) -> None:
    (folder / "in").mkdir()
    rows = []
    for day, (name, url, text) in enumerate(
        (
            ("a", "http://a.example/x", 2 * _TEXT),
            ("b", "http://a.example/x", 2 * _TEXT + "more"),
            ("c", "http://b.example/x", "nothing of the kind"),
        ),
        1,
    ):
        (folder / "in" / f"{name}.txt").write_text(text)
        rows.append({"id": name, "url": url, "date": f"2026-01-0{day}", "text": text})
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.table({"text": [row["text"] for row in rows]}), folder / "texts.parquet")


def _run_command(command: str) -> None:
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(command.split())
    if code == cli.ERROR:
        raise RuntimeError(f"ilk {command}: {err.getvalue()}")


def _rows_by_name(title: str, schema: pa.Schema) -> dict[str, str]:
    """Return the rows of the table that explains a schema, by the names of columns."""
    rows = {}
    for field in schema:
        if title.endswith("annotate") and not field.name.startswith("ilk_"):
            continue
        kind = str(field.type)
        meaning = _MEANINGS.get((title, field.name)) or _MEANINGS[field.name]
        rows[field.name] = f"| `{field.name}` | {_TYPES.get(kind, kind)} | {meaning} |"
    return rows


def _wrap_line(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)
