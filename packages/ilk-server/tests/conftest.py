"""The fixtures of the package's tests."""

from server_support import *  # noqa: F403
