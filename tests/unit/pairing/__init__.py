"""Pairs of documents."""
