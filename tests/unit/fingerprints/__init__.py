"""Small numbers that stand for texts."""
