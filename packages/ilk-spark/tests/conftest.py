"""The fixtures of the package's tests."""

from spark_support import *  # noqa: F403
