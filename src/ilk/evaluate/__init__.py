"""What a search finds and misses, measured on the documents of its user."""
