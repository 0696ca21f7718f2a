"""What is looked for, and how."""
