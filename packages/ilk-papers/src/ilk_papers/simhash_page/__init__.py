"""The project page "Near Duplicate Detection Using Simhash": its features and its three problems.

- ``features``: words and shingles of a text, and what they weigh
- ``fingerprint``: those as one number of 32 or 64 bits
- ``problems``: two documents, one against all, all against all
- ``permuted``: the search by permuted tables (Manku 2007), and what it misses
- ``tables``, ``all_exhibits``: all of it on example texts
"""
