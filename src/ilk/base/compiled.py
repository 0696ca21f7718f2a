"""Compiled templates, kept where Python keeps compiled modules: to compile takes long."""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import suppress
from importlib.util import cache_from_source

from jinja2.bccache import Bucket, FileSystemBytecodeCache


class TemplateCacheIfWritable(FileSystemBytecodeCache):
    """Compiled templates; where nobody may write, each is compiled again, as a module would be."""

    def __init__(self, template_folder: str) -> None:
        """Keep those of a folder of templates where Python would keep its modules."""
        modules = os.path.dirname(cache_from_source(os.path.join(template_folder, "_.py")))
        super().__init__(modules, f"%s.{sys.implementation.cache_tag}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template, if it is there, whole, and of this source and this Python."""
        with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template, which appears whole or not at all."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                os.makedirs(self.directory, exist_ok=True)
                super().dump_bytecode(bucket)
