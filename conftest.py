"""Fixtures of the core's tests, for those of the packages too."""

pytest_plugins = ["tests.fixtures", "tests.outputs", "tests.running", "tests.reading"]
