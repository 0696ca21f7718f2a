"""The text in bytes."""
