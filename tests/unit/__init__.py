"""What single rooms do."""
