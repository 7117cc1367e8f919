"""The Python engine as the one member of the replica set REPLICA_SET, at the address that it listens on."""
import os
import runpy

from secantus.server import SecantusDBServer

initialize = SecantusDBServer.__init__


def initialize_member(self, **settings):
    initialize(self, **{**settings, "replica_set_name": os.environ["REPLICA_SET"]})


SecantusDBServer.__init__ = initialize_member
runpy.run_path("/opt/python-engine.py", run_name="__main__")
