"""The text in bytes, whatever their encoding."""
