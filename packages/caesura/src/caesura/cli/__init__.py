"""The command line program: thin modules that parse, call and show; one per command."""
