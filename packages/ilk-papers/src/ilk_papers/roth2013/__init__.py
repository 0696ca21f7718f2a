"""The Similarity Index v2.0 (M. S. Roth, 2013): SimHash of 64 bits over 20,476 files.

- ``example``: the worked example, gram by gram
- ``copies``, ``collection``: files beside modified copies of them; the files of a machine
- ``experiment``: fingerprints, every pair compared, the exact join
- ``lacking``: the edits that the paper did not try
- ``sheets``: specification sheets that differ in a few characters
- ``own_values``: the fingerprints that the author printed in 2014, and the recipe's
- ``prototype``: the queries in a database
- ``published``, ``observations``, ``tables``, ``all_exhibits``: the paper's results beside those
"""
