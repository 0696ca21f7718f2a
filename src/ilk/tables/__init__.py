"""Engines and tools that ilk works in: they move the data, and ilk makes every decision."""
