#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The market on Ray: an actor for each shard, which Ray starts again when it was killed.

    usage: on_ray.py [--keys N] [--rows N] [--windows N] [--shards N] [--seed N] [--folder FOLDER] [--out FILE.png]
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


class OnRay:
    name = "Ray"

    def __init__(self, processes=8):
        import ray

        self.ray = ray
        os.environ["PYTHONPATH"] = os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])])  # of the workers
        # num_cpus is how many processes Ray may start ahead. An actor that is started again takes one that waits, which saves the start of a
        # process. Ray was seen to keep about two, so most restarts pay for a start. (Processes that have run tasks are not given to actors.)
        # A call to a dead actor fails after the given milliseconds; without, after one to two seconds.
        ray.init(num_cpus=processes, include_dashboard=False, log_to_driver=False, logging_level="error", _node_ip_address="127.0.0.1",
                 object_store_memory=512 << 20, _system_config={"timeout_ms_task_wait_for_death_info": 50})
        self.actor = ray.remote(Shard).options(num_cpus=0, max_restarts=-1, max_task_retries=0)  # Link sends again, and knows what

    def start(self, number, shards, folder):
        return self.actor.remote(folder, number, shards)

    def call(self, handle, method, *arguments):
        return getattr(handle, method).remote(*arguments)

    def result(self, future):
        try:
            return self.ray.get(future)
        except self.ray.exceptions.RayActorError as error:  # dead, or not there yet
            raise Lost(str(error)) from error

    def revive(self, handle, number, shards, folder):
        """Ray starts it again. A call that was made too early fails late, and one that was made later is answered before it fails."""
        asked = []
        for _ in range(250):
            asked.append(handle.status.remote())
            ready, asked = self.ray.wait(asked, timeout=0.02)
            for future in ready:
                try:
                    self.result(future)
                    return handle
                except Lost:
                    pass
        raise Lost(f"shard {number} is not back yet")

    def stop(self, handle):
        self.ray.kill(handle)

    def close(self):
        self.ray.shutdown()


if __name__ == "__main__":
    from run import main

    sys.exit(main(OnRay))
