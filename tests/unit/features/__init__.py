"""What a text is made of."""
