"""Readers: from a folder of documents to record batches of `ilk.columns.DOCUMENTS`.

One module, one concept:

- `folders`: the reader itself, which draws on all the others
- `walk`: which files there are, each once and in an order that is the same on every machine
- `globs`: which of them are wanted
- `files`: the bytes of one file, and of nothing that is not a file
- `kinds`: text or binary
- `decoding`: the text in the bytes, whatever their encoding; `wide` (UTF-16 and UTF-32) and
  `codepages` (the encodings before Unicode) help it
- `converters`: programs of the user's own that make text of other kinds
- `tally`: what happened on the way
"""
