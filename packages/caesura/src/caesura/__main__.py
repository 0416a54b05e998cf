"""``python -m caesura`` is the command line program."""

from caesura.cli.main import run

if __name__ == "__main__":
    run()
