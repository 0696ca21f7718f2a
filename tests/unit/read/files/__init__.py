"""Files: which are found, which are wanted, and their bytes."""
