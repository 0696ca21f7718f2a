"""Pairs of documents: found by fingerprint or by shingle sets, measured, verified."""
