"""`python -m trainshed`."""

from trainshed.cli.main import main

main()
