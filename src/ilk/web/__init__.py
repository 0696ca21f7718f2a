"""What the addresses of pages say: which of them name one page.

One module, one concept:

- ``rules``: what may be changed in a URL, each with a name, and which profile does what
- ``urls``: the canonical form of a URL (``ilk.urls``)
- ``evidence``: which rules hold on a site, from the pages that were seen
- ``sites``: the pages of a crawl by host and path
- ``nominating``: which folders of two hosts may mirror one another (``ilk.mirrors``)
- ``alignment``: what two folders are to each other, page by page
"""
