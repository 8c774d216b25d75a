"""A tenant's memory as a folder of plain files, for programs that know nothing but files. It knows the store alone."""
