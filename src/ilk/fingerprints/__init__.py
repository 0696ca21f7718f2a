"""Small numbers that stand for texts: SimHash fingerprints and digests."""
