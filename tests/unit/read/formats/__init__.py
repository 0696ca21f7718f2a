"""Documents that are no plain text."""
