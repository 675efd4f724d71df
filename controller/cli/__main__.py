"""``python -m controller.cli``."""

from controller.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
