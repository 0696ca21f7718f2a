"""Rows of data sets, read as documents, chosen again, and written back as they were."""
