"""One construct builder a file: what a cluster, a team and Argo CD need around the runs."""
