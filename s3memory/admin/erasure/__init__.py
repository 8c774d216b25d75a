"""Erasing a tenant, and the receipt for it."""
