"""Documents that are no plain text: PDF, Word, mail, archives, each format a module of its own.

``table`` lists the formats, ``recognising`` finds the format of a file, ``asking`` has it read in
a child process (``work``), where the module of the format makes ``parts`` of it.
"""
