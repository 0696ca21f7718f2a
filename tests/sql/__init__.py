"""The SQL, run on real databases."""
