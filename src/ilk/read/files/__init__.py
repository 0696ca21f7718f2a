"""Files: which exist, which are wanted, and the bytes of each."""
