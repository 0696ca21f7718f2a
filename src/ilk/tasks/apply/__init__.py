"""Decisions about files, and how they are carried out and undone."""
