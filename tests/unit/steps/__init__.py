"""The steps between reading and writing."""
