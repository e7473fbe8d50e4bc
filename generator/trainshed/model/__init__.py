"""The frozen nouns that stages hand to one another. Imports nothing else of this package."""
