"""A rendered run as processes on this machine: the pods that its operator makes, and what becomes of them."""
