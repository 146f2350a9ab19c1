"""`python -m hsieve` is `hsieve`, for where the command is not on the path."""

from hsieve.cli.main import run

if __name__ == "__main__":
    run()
