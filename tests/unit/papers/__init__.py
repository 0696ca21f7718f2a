"""The papers' rooms."""
