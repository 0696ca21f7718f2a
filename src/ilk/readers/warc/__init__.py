"""Archives of the web, WARC and ARC: records cut out of a file, and the text of a capture.

A file is taken to be damaged wherever it can be: what makes no sense is reported with its offset,
and the records after it are read.

WARC 1.1 is ISO 28500:2017; ARC is what the Internet Archive wrote before.
"""
