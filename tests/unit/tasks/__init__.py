"""Data sets without their duplicates."""
