"""What happens to files that were compared by their bytes alone, decided for all at once.

Nothing is in such a file but itself, and one of each group stays. So what ``decide_fates`` finds
out file by file follows from the groups, if no file has changed since.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.arrow.verdicts import IDENTICAL
from ilk.read.files.facts import encode_paths_of_sources, stat_files
from ilk.tasks.apply.staying import IS_HELD, IS_KEEPER, IS_LINK, Fate, SizedDigest


class EqualFiles(NamedTuple):
    """Files that have a copy, the best keeper first.

    Attributes:
        contents: by name, the bytes of each.
        fates: by name, what happens to each.
        identities: by name, the device and the number of each file there.
    """

    contents: dict[str, SizedDigest]
    fates: dict[str, Fate]
    identities: dict[str, bytes]


def decide_about_equal_files_if_unchanged(
    documents: pa.Table, clusters: pa.Table, ranking: pa.Array, baseline_size: int
) -> EqualFiles | None:
    """Return what happens to the files in clusters; None if one has changed since it was read, or
    the system does not say.

    Args:
        documents: files on disk, no symbolic link among them, and what is known of each.
        clusters: those of equal bytes.
        ranking: the rows of ``documents``, best keeper first.
        baseline_size: the first documents, as many as these, stay in any case.
    """
    members, keepers = flat(clusters["doc"]), flat(clusters["keeper"])
    docs = ranking.filter(pc.is_in(ranking, value_set=members))
    keepers = keepers.take(pc.index_in(docs, value_set=members))
    names = flat(documents["source"]).take(docs)
    facts = stat_files(encode_paths_of_sources(names), pa.repeat(False, len(names)))
    sizes = flat(documents["size"]).take(docs)
    if not facts.sizes.equals(sizes.cast(pa.int64())):
        return None
    at_keeper = pc.index_in(keepers, value_set=docs)
    is_link = pc.equal(facts.identities, facts.identities.take(at_keeper))
    all_names = names.to_pylist()
    digests = flat(documents["bytes_digest"]).take(docs).to_pylist()
    fates = dict[str, Fate]()
    is_keeper_fate, is_held_fate, is_link_fate = (
        Fate(why=IS_KEEPER),
        Fate(why=IS_HELD),
        Fate(why=IS_LINK),
    )
    fate_of_keeper = dict[int, Fate]()
    columns = (docs, keepers, at_keeper, is_link)
    for name, (doc, keeper, at, is_linked) in zip(
        all_names, zip(*(column.to_pylist() for column in columns), strict=True), strict=True
    ):
        if doc < baseline_size:
            fates[name] = is_held_fate
        elif doc == keeper:
            fates[name] = is_keeper_fate
        elif is_linked:
            fates[name] = is_link_fate
        else:
            if keeper not in fate_of_keeper:
                stays = all_names[at]
                fate_of_keeper[keeper] = Fate((stays,), {stays: (stays, IDENTICAL)})
            fates[name] = fate_of_keeper[keeper]
    contents = zip(sizes.to_pylist(), (digest.hex() for digest in digests), strict=True)
    return EqualFiles(
        dict(zip(all_names, map(SizedDigest._make, contents), strict=True)),
        fates,
        dict(zip(all_names, facts.identities.to_pylist(), strict=True)),
    )
