"""The file of a store: SQLite, its tables, and numbers packed as bytes."""
