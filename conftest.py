"""Fixtures of the core's tests, for those of the packages too."""

pytest_plugins = [
    "tests.support.command_line",
    "tests.support.fixtures",
    "tests.support.outputs",
    "tests.support.readers",
]
