"""``python -m benchmarks [NAME...] [--save]``: measure, print, and keep if asked."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from benchmarks import rows
from benchmarks.kept import RESULTS, keep

#: Every benchmark and what it measures.
NAMES = {
    "text": "fingerprints and shingle sets of a text column, against `wc -w`",
    "evidence": "all that is kept of a text in one pass, against its parts and `wc -w`",
    "levels": "the same in each set of vector instructions, against the portable one",
    "prints": "fingerprints of texts, against those of other packages",
    "scaling": "fingerprints in two threads, and the memory they take beyond the texts",
    "processors": "what a second processor gives each verb, and what that means for more of them",
    "hamming": "all near pairs of a million fingerprints, against a NumPy block join",
    "reading": "the texts of JSON lines, CSV and Parquet, against DuckDB, pyarrow and `wc`",
    "archives": "the captures of a .warc.gz, against FastWARC and warcio",
    "documents": "PDF, Office and mail, against the bare libraries; one child process and two",
    "joins": "exact joins of random, skewed and real fingerprints, against np.sort",
    "index": "searches among a million fingerprints, against a look at all of them",
    "store": "a store of 10^6 and 10^7 documents; `ilk store sync` beside `ilk scan`",
    "nights": "a batch against a store of all former ones, beside reading all again",
    "service": "a served store of 10^6 documents under load, against a bare FastAPI echo",
    "beside": "a check of a served store beside 13 kinds of hostile clients, and idle",
    "startup": "`ilk --help` against `import argparse`, `--version` against Python; slow imports",
    "scan": "`ilk scan` on folders of documents: CPU and peak memory",
    "identical": "`ilk scan --identical`, against jdupes and fclones, with the same groups",
    "dedup": "`ilk dedup` of the corpus, against `wc -w`: CPU and peak memory",
    "beyond": "`ilk dedup` of .2 to 30 GB in .2 to 1.5 GB of memory: CPU a gigabyte, peak memory",
    "overlap": "exact joins of shingle sets, against other packages with their recall",
    "passages": "every passage of the corpus, against `wc -w`: CPU, growth and peak memory",
    "contamination": "items of 50 evaluation sets in a gigabyte of text, against `wc -w`",
    "short": "the exact join of short texts; `ilk dedup` of 10^4 to 10^6, more by ILK_SHORT_PIECES",
    "natural": "`ilk dedup` of short texts by a model of words: growth to ILK_NATURAL_PIECES",
    "tools": "a deduplication in Polars, pandas, DuckDB and Hugging Face, against ilk alone",
    "pipelines": "a deduplication in datatrove by ilk, against its own MinHash, with recall",
    "spark": "a deduplication on Spark, against one machine and MinHash-LSH in the same Spark",
    "sql": "the searches of `ilk sql` in every database, at a million rows and at ten",
    "mirrors": "mirrors in crawls of 10^4 to 10^6 pages: CPU and peak memory",
    "urls": "canonical URLs in every profile, against `urllib.parse.urlsplit`",
    "report": "the pages: CPU, size, first paint, until a browser has drawn them, layout shifts",
    "acting": "the differences of two editions of a novel; `ilk apply` and `ilk undo` per file",
    "million": "the exact join of a million documents: CPU and peak memory",
}


def main() -> int:
    """Run the benchmarks that were named, or all of them."""
    names = "\n".join(f"  {name:<10} {what}" for name, what in NAMES.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Figures against yardsticks measured in the same run.",
        epilog=f"benchmarks:\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="all where none is named")
    parser.add_argument("--save", action="store_true", help=f"keep the figures in {RESULTS.name}/")
    args = parser.parse_args()
    if unknown := [name for name in args.names if name not in NAMES]:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(NAMES)}")
    # ilk is installed compiled; a clone that may not keep compiled modules would begin more slowly.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    found: list[rows.Row] = []
    try:
        for name in args.names or NAMES:
            print(f"{name}: {NAMES[name]} ...", file=sys.stderr, flush=True)
            for row in importlib.import_module(f"benchmarks.{name}").run():
                found.append(row)
    finally:
        # What was measured stays when what follows fails or is interrupted.
        print("\n".join(rows.lines(found)))
        if args.save and found:
            print(f"kept in {keep(found)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
