"""Talks to the Go program `trainshed-engine`: Kustomize builds, YAML texts and verdicts, for plain data."""
