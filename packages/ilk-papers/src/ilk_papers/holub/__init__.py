"""Charikar's hash as V. Holub describes it: tokens or super-tokens, lookup3, whole weights.

- ``method``: a text's tokens, the vector V, and its signs
- ``all_exhibits``: all of it on example texts
"""
