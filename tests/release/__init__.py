"""What is released: a wheel, its licences, files of former versions."""
