"""Documents that are not plain text: PDF, Word, mail, archives.

``table`` lists the formats and finds that of a file; ``reader`` has it read in a child process,
where the module of the format turns it into ``parts``.
"""
