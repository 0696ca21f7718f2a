"""Charikar's hash as V. Holub describes it: tokens or super-tokens, lookup3, whole weights.

- ``method``: a text's tokens, the vector V, and its signs
- ``run``: all of it on example texts
"""
