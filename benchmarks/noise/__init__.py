"""Noisy copies: real scans, recall and speed."""
