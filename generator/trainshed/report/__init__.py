"""What was found and made goes in; files and text come out. Judges nothing, changes no finding."""
