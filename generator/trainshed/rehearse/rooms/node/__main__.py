"""`python -I <this file> isolated|plain FOLDER`: a node, which serves until its standard input ends."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4]))  # -I leaves it out

from trainshed.rehearse.rooms.node.service import serve

serve(sys.argv[1], sys.argv[2])
