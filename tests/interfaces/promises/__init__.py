"""What the command line promises: one module for each promise."""
