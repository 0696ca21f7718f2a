"""Readers: anything that holds texts, as documents."""
