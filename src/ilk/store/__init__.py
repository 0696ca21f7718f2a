"""The persistent store: one file that answers "do we have something like this already?".

One module, one concept:

- ``store``: the collection of documents, as its users see it; draws on all below
- ``named``: the same for clients that give documents ids of their own
- ``maintained``: the collection as a whole
- ``answering``: what is asked of it
- ``incoming``: documents on their way in
- ``checkin``: documents as they come in: what each is like, and what happens to it
- ``sync``: a folder kept in step; ``tracked``: how its files looked
- ``exchange``: export and import
- ``validation``: damage found and named; ``counting``: how much there is
- ``matching``: what documents are like the stored ones
- ``keepers``: anchored clusters kept current
- ``nominator``: the indexes in memory, kept in step with the file
- ``resembling``: the one of shingle sets, which misses nothing
- ``sizes``: how much is done at once
- ``segments``: fingerprints packed, so that the index is built fast
- ``opened``: the file and the index, changed together or not at all
- ``records``: what the store reports of a document; ``tables``: the rows that are read and written
- ``contents``, ``evidence``: what stored documents are measured by, and their texts
- ``file``: the SQLite file: its format, opening, transactions
- ``packing``: numbers as bytes
"""

from ilk.store.checkin import Added
from ilk.store.matching import Match
from ilk.store.named import Entering, NamedStore
from ilk.store.records import Record
from ilk.store.store import Store
from ilk.store.sync import Moved, Synced, Told

__all__ = [
    "Added",
    "Entering",
    "Match",
    "Moved",
    "NamedStore",
    "Record",
    "Store",
    "Synced",
    "Told",
]
