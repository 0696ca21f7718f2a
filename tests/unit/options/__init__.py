"""The table of options."""
