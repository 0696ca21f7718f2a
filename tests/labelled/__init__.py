"""A labelled set of documents that every clone has: made here, from texts written here.

``python -m tests.labelled FOLDER`` writes it out, as `benchmarks.accuracy` reads labelled sets.

- ``texts``: prose, a language in each file; ``forms``: templates, and what fills them
- ``written``: these files, read
- ``traced``: texts that know where each of their words was written first
- ``labels``: what two such texts share, by their origin and not by their letters
- ``revising``: other versions of a text; ``spelling``: the same text, written otherwise
- ``filling``: forms with names, numbers and paragraphs in them
- ``families``: which documents the set holds, and which of them are of one kind
- ``encodings``: the texts in the encodings that those of their languages come in
- ``writing``: files and labels in a folder

The labels follow from how a document was made: nobody compares two texts to find them. Every number
is drawn from a seed, so that the set is the same in every version of Python.
"""
