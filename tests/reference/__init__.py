"""Naive oracles, straight from the definitions and the papers."""
