"""Small numbers that stand for texts: SimHash and MinHash fingerprints, and digests."""
