"""The version of ilk and of every companion package, and of what recipes mean."""

__version__ = "0.3.0"

#: The version of the definitions (hash, Unicode tables, word rules) that this ilk implements.
RECIPE_VERSION = "v1"
