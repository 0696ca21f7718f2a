"""Ratios against yardsticks measured in the same run: ``python -m benchmarks [NAME...]``."""
