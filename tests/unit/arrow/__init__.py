"""The Arrow contract."""
