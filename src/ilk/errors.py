"""The errors a caller can catch.

IlkError                 everything this library refuses
+-- SourceNotFound       a path that does not exist (also a FileNotFoundError)

Every message says what was seen, what is allowed, and the fix.
"""


class IlkError(Exception):
    """Anything this library refuses."""


class SourceNotFound(IlkError, FileNotFoundError):
    """A path given to read does not exist."""
