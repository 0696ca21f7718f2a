"""The doors, used as people use them."""
