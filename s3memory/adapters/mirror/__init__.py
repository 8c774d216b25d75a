"""A tenant's memory as a folder of plain files, for programs that only work with files. It uses the store directly."""
