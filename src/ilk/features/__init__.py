"""What a text is made of: words, characters, shingles."""
