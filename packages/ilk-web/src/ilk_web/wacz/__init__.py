"""Reading WACZ: archives of the web in a ZIP, with an index and a list of pages.

Browsertrix, ArchiveWeb.page and other tools of Webrecorder write it. The captures come from the
archives alone; the list of pages gives them titles, and digests and the index are compared with
what is there.

Source: Web Archive Collection Zipped, version 1.1.1 (specs.webrecorder.net/wacz/1.1.1).
"""
