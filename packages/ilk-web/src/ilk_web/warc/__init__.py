"""Web archives, WARC and ARC: cutting records out of a file, and the text of a capture.

Damage is expected everywhere: anything that makes no sense is reported with its offset, and the
records after it are read.

WARC 1.1 is ISO 28500:2017; ARC is the older format of the Internet Archive.
"""
