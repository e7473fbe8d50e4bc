"""Rooms that pods live in: what a pod needs of its surroundings goes in, processes in such surroundings come out.

Isolated rooms are Linux namespaces: real paths, names, addresses and users. Plain rooms are processes of the person who
rehearses, whose words are rewritten to local folders and addresses. `choose` says which this machine can have.
"""
