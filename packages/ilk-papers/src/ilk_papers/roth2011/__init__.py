"""The Similarity Index (M. S. Roth, 2011): a document as one number, similar within 30 %.

- ``hashing``: Java's hash of a k-gram, Rabin's hash of many
- ``tokens``, ``soundex``: three streams of tokens, four variations
- ``sketches``, ``methods``: 14 methods, 656 combinations
- ``scoring``: within 30 %, and the arithmetic of Table 9
- ``collection``: the 15 documents
- ``experiment``, ``chance``, ``many``: the numbers for them, with other hashes, of 10,000 files
- ``published``, ``observations``, ``all_exhibits``: the paper's results beside those
- ``index``: the number as a column of a database
"""
