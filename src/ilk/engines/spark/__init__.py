"""Apache Spark: rows in, the same answer as on one machine out (``ilk.spark`` has its names)."""
