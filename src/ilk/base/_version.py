"""The version of ilk and of every companion package."""

__version__ = "0.3.0"
