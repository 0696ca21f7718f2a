"""Archives of the web, WARC and ARC: records cut out of a file, and the text of a capture.

A file is taken to be damaged wherever it can be: what makes no sense is told with its offset, and
the records behind it are read. One module, one concept:

- ``frames``: the bytes of a file, decompressed, from any record on
- ``heads``: the fields before a record; ``forms``: what makes an archive WARC or ARC
- ``cutting``: records one after another; ``recovery``: where they go on behind what is damaged
- ``messages``: an answer over HTTP: its fields, its body without chunks and encodings
- ``digests``: of payloads
- ``captures``: what is known of a page that was fetched once
- ``crawl``: what the archives of one data set share: the texts, and what was captured when
- ``entries``: where records lie, and which belong to which capture; ``copying``: them, elsewhere

WARC 1.1 is ISO 28500:2017; ARC is what the Internet Archive wrote before.
"""
