"""The lecture on de-duplication (E. Horowitz, University of Southern California): its methods.

- ``exact``: equal documents, found in five ways
- ``distances``: five measures that keep the axioms of a distance
- ``shingles``: shingles, sketches, resemblance and containment
- ``phrases``: SimHash of three phrases
- ``sorting``: near fingerprints by sorting and rotating
- ``applications``: what all that is good for
- ``published``, ``tables``, ``all_exhibits``: the lecture's numbers beside those computed
"""
