"""Engines and tools that ilk works in: the flow of data is theirs, every decision is ilk's."""
