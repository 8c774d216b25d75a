"""Where this repository is."""

from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).parents[2]
