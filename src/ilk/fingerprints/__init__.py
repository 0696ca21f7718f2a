"""Small numbers that represent texts: SimHash and MinHash fingerprints, and digests."""
