"""Documents that are not plain text: PDF, Word, mail, archives.

``table`` lists the formats and finds that of a file; ``reader`` has it read in a child process
(``child_pool``), where the reader of the format turns it into ``parts``. Archives have theirs here;
those of other formats are registered by packages (``ilk.formats``).
"""
