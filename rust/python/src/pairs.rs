//! Columns of fingerprints or sets in, columns of pairs out.
