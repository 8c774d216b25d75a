"""Erasing a tenant, and receipts of erasures."""
