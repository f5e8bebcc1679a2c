"""Differential fuzzer of the command `glycine`: random inputs and options against small independent references."""
