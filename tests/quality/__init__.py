"""What the labelled sets of documents demand."""
