"""Archives of the web."""
