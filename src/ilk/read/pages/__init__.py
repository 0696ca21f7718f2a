"""HTML pages: their main text, extracted by child processes, and what they declare."""
