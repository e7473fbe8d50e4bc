"""The command line: one file a command. Reads arguments, walks the street, prints, and gives an exit code."""
