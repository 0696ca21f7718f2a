"""How fingerprints are made."""
