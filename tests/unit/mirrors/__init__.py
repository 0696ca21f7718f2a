"""Hosts and folders that mirror one another."""
