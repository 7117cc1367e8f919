#!/bin/bash
# In the place of mongod's entrypoint: `mongod --replSet NAME …`. What else the arguments say, the engine always does.
export MONGO_USER=tidemark REPLICA_SET=$3
exec /opt/engine/bin/python /opt/member.py --config /opt/empty.toml --host "$(hostname -i)" --port 27017 \
  --storage-path /data/db --cache-size 512M --auth
