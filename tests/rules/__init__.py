"""Rules of the house, checked."""
