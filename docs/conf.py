"""How Sphinx makes the site of the documents: ``make docs``. Nothing is fetched from a network."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import ilk

project = "ilk"
author = "The ilk authors"
version = release = ilk.__version__
copyright = author  # noqa: A001

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# The page of a tool is made where the tool is not installed, too.
_TOOLS = ("datatrove", "itemadapter", "scrapy")
autodoc_mock_imports = [tool for tool in _TOOLS if find_spec(tool) is None]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_numpy_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
# What docstrings list under these words is no code.
napoleon_custom_sections = [("Source", "notes_style"), ("Options", "params_style")]

# Quotes and dashes of options stay as they are typed.
smartquotes = False

html_theme = "furo"
html_title = f"ilk {ilk.__version__}"
html_static_path = ["_static"]
# The page of the papers, where `make docs` has written it.
_EXTRA = Path(__file__).parent / "_build" / "extra"
html_extra_path = [str(_EXTRA)] if _EXTRA.is_dir() else []
html_copy_source = False
html_show_sphinx = False
