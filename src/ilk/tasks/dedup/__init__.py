"""A data set without its duplicates: what is kept, what is dropped, and why."""
