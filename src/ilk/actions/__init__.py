"""What people decide about files, and how it is carried out and taken back."""
