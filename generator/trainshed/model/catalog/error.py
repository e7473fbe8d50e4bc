"""The mistake of a catalogue that is not of its form."""


class CatalogError(Exception):
    """The catalogue, or what we ask of it, is not of the form that its readers know: a mistake of this program."""
