"""The Python engine as the one member of the replica set REPLICA_SET, at the address that it listens on."""
import os
import runpy

from secantus.server import SecantusDBServer

initialize = SecantusDBServer.__init__
SecantusDBServer.__init__ = lambda self, **settings: initialize(
    self, **{**settings, "replica_set_name": os.environ["REPLICA_SET"]}
)
runpy.run_path("/opt/python-engine.py", run_name="__main__")
