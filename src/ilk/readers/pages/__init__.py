"""Pages in HTML: their main text, made by child processes, and what they declare of themselves."""
