"""The program that rooms live in: orders come in on standard input, the ends of processes go out; no packages needed.

It is the first process of its namespaces, so everything in them ends when it does, and it ends when nobody is left to
give orders. In plain rooms it is the ancestor that ends its descendants.
"""
