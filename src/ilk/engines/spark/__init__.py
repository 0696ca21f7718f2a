"""Apache Spark: the same result as on one machine (``ilk.spark`` has the public names)."""
