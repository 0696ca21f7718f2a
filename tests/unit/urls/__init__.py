"""Canonical URLs."""
