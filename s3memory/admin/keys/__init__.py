"""Generations of a tenant's key ring: new ones, what is sealed under which, and retiring those that nothing needs."""
