"""How much YAML a spec may be: bounds that keep every reader of it, ours and others', quick and safe."""

MAX_DEPTH = 64
"""Maps and lists within one another."""

MAX_ALIASES = 64
"""Uses of `*name` in a document."""

MAX_EXPANDED_NODES = 10_000
"""Keys, items and values that all aliases of a document may repeat together."""

MAX_SCALAR_LENGTH = 65_536
"""Characters of a single value."""
