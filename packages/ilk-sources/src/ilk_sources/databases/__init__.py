"""Fingerprints as a column of a database: exact, indexed SQL for six of them.

One module, one concept:

- ``dialects``: the databases, and their SQL for a table
- ``functions``: the SQL functions in Python
- ``registration``: the functions of a connection (``register``)
- ``filling``: the column of a table, filled (``fill``), by SQLAlchemy (``tables``)
- ``reader``: addresses and partitioned folders, which DuckDB reads
"""
