#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The market on Dask: an actor for each shard, made again on another worker when its own was killed.

    usage: on_dask.py [--keys N] [--rows N] [--windows N] [--shards N] [--seed N] [--folder FOLDER] [--out FILE.png]
"""

import os
import pathlib
import sys

HERE = str(pathlib.Path(__file__).resolve().parent)
sys.path.insert(0, HERE)
if __name__ == "__main__" and "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
try:
    from market import Lost
    from shard import Shard
except ImportError as missing:
    if __name__ != "__main__":
        raise
    sys.exit(f"{missing.name} is not here; python3 -m pip install -r {HERE}/requirements.txt, and slotwise from a checkout")


class OnDask:
    name = "Dask"

    def __init__(self, workers=4):
        import dask
        import distributed

        os.environ["PYTHONPATH"] = os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])])  # of the workers
        # The limit is for tasks that kill their worker. These workers are killed by us.
        dask.config.set({"distributed.scheduler.allowed-failures": 1_000_000, "distributed.comm.timeouts.connect": "5s"})
        self.cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
                                                silence_logs="CRITICAL")
        self.client = distributed.Client(self.cluster)

    def start(self, number, shards, folder):
        future = self.client.submit(Shard, folder, number, shards, actor=True, pure=False)
        return future, future.result()

    def call(self, handle, method, *arguments):
        try:
            return getattr(handle[1], method)(*arguments)
        except RuntimeError as error:  # the actor is known to be lost
            return error

    def result(self, future):
        try:
            if isinstance(future, RuntimeError):
                raise Lost(str(future)) from future
            return future.result()
        except OSError as error:
            raise Lost(str(error)) from error

    def revive(self, handle, number, shards, folder):
        if handle[0].status not in ("error", "lost", "cancelled"):
            return handle  # the scheduler does not know yet
        try:
            return self.start(number, shards, folder)
        except (OSError, RuntimeError) as error:
            raise Lost(str(error)) from error

    def stop(self, handle):
        handle[1].close().result()
        handle[0].release()

    def close(self):
        self.client.close()
        self.cluster.close()


if __name__ == "__main__":
    from run import main

    sys.exit(main(OnDask))
