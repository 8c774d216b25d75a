"""Helpers that several tests share: rigs, fault layers, recorders, samples. This package contains no tests."""
