// Empty: a package with an assembly file may declare functions without bodies, as upstream.go does.
