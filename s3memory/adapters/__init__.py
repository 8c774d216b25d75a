"""The doors to the memory, one module or package for each framework, loaded only by programs that use it."""
