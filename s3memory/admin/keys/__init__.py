"""Generations of a tenant's key ring: adding them, finding out which are in use, and retiring those that are not."""
