"""Passages that recur in a collection: found, counted, cut out."""
