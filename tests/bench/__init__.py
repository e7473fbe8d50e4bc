"""What a render costs, measured by programs: `uv run python -m tests.bench.run`. Nothing here is a test."""
