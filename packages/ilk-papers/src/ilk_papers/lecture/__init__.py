"""The lecture on de-duplication (E. Horowitz, University of Southern California): its methods.

- ``exact``: equal documents, found in five ways
- ``digests``: their sizes, and what they withstand
- ``distances``: five measures that keep the axioms of a distance
- ``shingles``: shingles, sketches, resemblance and containment
- ``phrases``: SimHash of three phrases
- ``sorting``: near fingerprints by sorting and rotating
- ``walk``: the eight numbers of slides 33 to 36, rotation by rotation
- ``applications``: what all that is good for
- ``published``, ``tables``, ``all_exhibits``: the lecture's numbers beside those computed
"""
