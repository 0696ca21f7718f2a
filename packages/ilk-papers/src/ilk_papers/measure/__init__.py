"""What a search finds and misses, measured on the user's own documents."""
