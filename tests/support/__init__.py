"""What the tests share, by subject."""
