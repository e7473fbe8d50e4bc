"""What rules share: objects and pods in; references, selectors, waves and severities out, as Kubernetes means them."""
