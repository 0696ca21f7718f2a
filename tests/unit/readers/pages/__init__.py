"""Pages in HTML."""
