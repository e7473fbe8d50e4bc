"""Runs Python programs in forks of a process that has imported PyTorch already, which takes seconds.

    python zygote.py SOCKET                   the process that forks
    python zygote.py SOCKET PROGRAM ARGS…     runs a program there, as if it ran here: its environment, its streams,
                                              the signals sent to it, its exit code or the signal that ended it

Processes, kills and exit codes are real; only the import is shared. Whoever kills the second kills its fork.
"""

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
STREAMS = (0, 1, 2)


def serve(path: str) -> None:
    """Fork for each that connects. Returns in the forks alone, made up as the process that asked."""
    import torch
    import torch._dynamo  # what DistributedDataParallel imports when the first is made
    import torch.distributed
    import torch.distributed.run
    import torch.nn.parallel
    import torch.utils.data
    import trainshed_runtime.run  # noqa: F401 - so that the forks have it

    torch.set_num_threads(1)
    gc.freeze()  # what is imported is not looked at again by the forks
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    children: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listener, *children.values()], [], [], 0.02 if children else None)
        for asking in ready:
            if asking is listener:
                connection, _ = listener.accept()
                message, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, len(STREAMS) + 1)
                child = os.fork()
                if child == 0:
                    listener.close()
                    for other in (*children.values(), connection):
                        other.close()
                    become(json.loads(message), descriptors)
                    return
                for descriptor in descriptors:
                    os.close(descriptor)
                connection.send(f"{child}\n".encode())
                children[child] = connection
            else:  # who asked is gone: nothing else ever comes from there
                for child, connection in children.items():
                    if connection is asking:
                        with suppress(ProcessLookupError):
                            os.kill(child, signal.SIGKILL)
        reap(children)


def reap(children: dict[int, socket.socket]) -> None:
    for child in list(children):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            with suppress(OSError):
                children[child].send(f"{status}\n".encode())
            children.pop(child).close()


def become(asked: dict[str, object], descriptors: list[int]) -> None:
    os.setsid()
    for stream, descriptor in zip(STREAMS, descriptors, strict=False):
        os.dup2(descriptor, stream)
    os.fchdir(descriptors[-1])
    for descriptor in descriptors:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(asked["environ"])
    sys.argv[:] = asked["argv"]


def ask(path: str, argv: list[str]) -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    here = os.open(".", os.O_RDONLY)
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    message = json.dumps({"argv": argv, "environ": dict(os.environ)}).encode()
    socket.send_fds(connection, [message], [*STREAMS, here])
    answers = connection.makefile()
    child = int(answers.readline())
    for number in PASSED_ON:
        signal.signal(number, lambda number, _: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    code = os.waitstatus_to_exitcode(int(answers.readline()))
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def run(argv: list[str]) -> int:
    """Run the program or module; returns the code that Python would leave with."""
    try:
        if argv[0] == "-m":
            del argv[0]
            runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(argv[0])
            runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        ask(sys.argv[1], sys.argv[2:])
    serve(sys.argv[1])
    code = run(sys.argv)
    # Taking a process with PyTorch apart takes a second: all but that is done as at the end of any other.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
