"""Recipes side by side: what their fingerprints nominate, and how much else.

- ``ways``, ``stop``, ``frequency``: the recipes that are compared
- ``prints``: their fingerprints, and how many bits differ
- ``kin``, ``nominated``, ``natural``: near duplicates by nature: recall and candidates by radius
- ``planned``, ``modelled``: what the planner expects of them, against what is found
- ``edited``, ``unrelated``, ``found``, ``verified``, ``controlled``: edited copies among unrelated
  texts: recall at a false-positive rate, and what verification leaves
- ``others``: the same edited copies and the fingerprints of other packages
- ``templates``: pages of one template
"""
