"""The verbs of the package."""
