"""Passages that recur in a collection."""
