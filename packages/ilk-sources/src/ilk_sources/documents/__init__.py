"""Documents of other programs: the readers of their formats, registered as ``ilk.formats``.

A function ``read_FORMAT`` yields the parts of a document (``ilk.plugins``). It trusts nothing that
the file says about itself, and runs in a child process with limits.
"""
