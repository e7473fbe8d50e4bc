"""`python -m trainshed_runtime COMMAND ARGUMENTS…`, or `python FOLDER COMMAND ARGUMENTS…` where a run carries it."""

import sys

from trainshed_runtime.launch import main

sys.exit(main(sys.argv[1:]))
