//! Compares the drop-in replacements with the originals, in tests/.
