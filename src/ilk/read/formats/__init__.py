"""Documents that are not plain text: PDF, Word, mail, archives; one module per format.

``table`` lists the formats, ``recognising`` finds the format of a file, ``asking`` has it read in
a child process (``work``), where the module of the format turns it into ``parts``.
"""
