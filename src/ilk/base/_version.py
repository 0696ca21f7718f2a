"""The version of ilk and of every package beside it."""

__version__ = "0.3.0"
