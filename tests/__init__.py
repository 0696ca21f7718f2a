"""The tests of ilk."""
