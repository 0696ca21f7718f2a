"""Searches: the request, the plan behind the thresholds, and the run of its steps."""
