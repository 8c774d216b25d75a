"""Defines every byte that is stored: envelopes, key rings, names, object keys, labels. Pure: it does no I/O."""
