"""What a search finds and misses."""
