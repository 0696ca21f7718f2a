"""The entrances: parse, call, print. They have no algorithms, and only they print or exit."""
