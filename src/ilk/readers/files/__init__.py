"""Files: which there are, which are wanted, and the bytes of each."""
