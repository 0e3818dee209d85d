"""The program ``dlprof-agg``: the console script of the wheel, and ``python -m dlprof_agg``."""

import os
import signal
import sys

from dlprof_agg import _native


def main() -> None:
    """Run the program with the words of the command line, and end the process with its exit code."""
    # Python's own handler would wait for bytecode to run; the program has its own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _native.run_program(["dlprof-agg", *sys.argv[1:]])
    # Threads of a server may still run, and there is nothing left to end in order.
    os._exit(code)


if __name__ == "__main__":
    main()
