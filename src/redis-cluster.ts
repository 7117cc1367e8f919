import { randomInt } from 'node:crypto';
import { connect as connectPlain, Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';

type Node = { readonly host: string; readonly port: number };

/** A Redis Cluster: some of its nodes, and how to sign in to each of them. */
type RedisCluster = {
  readonly nodes: readonly Node[];
  readonly access: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
};

const CLUSTER_URL = /^(redis|rediss)-cluster:\/\/(?:([^@/]*)@)?([^@/]+)\/?$/;

/** `redis-cluster://USER:PASSWORD@HOST:PORT,HOST:PORT`, or `rediss-cluster:` with TLS. Null for another URL. */
export function parseClusterUrl(url: string): RedisCluster | null {
  const [, scheme, user, hosts] = CLUSTER_URL.exec(url) ?? [];
  if (hosts === undefined) return null;
  const signIn = user === undefined ? '' : `${user}@`;
  const parts = hosts.split(',').map((host) => `redis://${signIn}${host}`);
  if (!parts.every((part) => URL.canParse(part))) return null;
  const nodes = parts.map((part) => {
    const { hostname, port } = new URL(part);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
  });
  const { username, password } = new URL(parts[0] ?? '');
  return {
    nodes,
    access: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(scheme === 'rediss' ? { tls: {} } : {}),
    },
  };
}

const DEFAULT_PORT = 6379;

type Followed = RedisCluster['access'] &
  Pick<RedisOptions, 'host' | 'port' | 'Connector' | 'reconnectOnError'>;

/**
 * The options of a connection that follows the master of one hash tag. Every key of ours in a Redis has the same
 * tag, so one node has them all, and a connection to it is a plain one: what is asked without a key (INFO, CONFIG,
 * TIME, SCRIPT) is answered by the server that runs the scripts, on which rule 12.7 rests.
 */
export function followOwner(cluster: RedisCluster, tag: string): Followed {
  return {
    // As errors name it.
    ...cluster.nodes[0],
    ...cluster.access,
    Connector: ownerConnector(cluster, tag),
    // The command was refused before it did anything: it is sent again to the new master.
    reconnectOnError: ({ message }) => (OTHER_OWNER.test(message) ? 2 : false),
  };
}

/** After a fail-over, and while there is none yet. */
const OTHER_OWNER = /^(MOVED|CLUSTERDOWN|MASTERDOWN|READONLY|UNBLOCKED) /;
const CLOSE_MS = 2_000;

function ownerConnector(cluster: RedisCluster, tag: string) {
  return class OwnerConnector extends AbstractConnector {
    constructor() {
      super(CLOSE_MS);
    }

    async connect(): Promise<Socket | TLSSocket> {
      this.connecting = true;
      const stream = await findOwner(cluster, tag).then(
        (owner) => open(owner, cluster),
        // ioredis connects again after a stream that ended, and gives up after an error.
        (error: Error) => {
          this.firstError = error;
          return new Socket().destroy();
        },
      );
      if (!this.connecting) {
        stream.destroy();
        throw new Error('Connection is closed.');
      }
      stream.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return stream;
    }
  };
}

function open({ host, port }: Node, { access }: RedisCluster): Socket | TLSSocket {
  return access.tls === undefined ? connectPlain({ host, port }) : connectTls({ host, port, ...access.tls });
}

/** Asks one node after another. The first is another one each time: a node that is cut off may be wrong. */
async function findOwner(cluster: RedisCluster, tag: string): Promise<Node> {
  const { nodes } = cluster;
  const first = randomInt(nodes.length);
  let failed: unknown;
  for (const node of [...nodes.slice(first), ...nodes.slice(0, first)]) {
    try {
      return await askOwner(node, cluster, tag);
    } catch (error) {
      failed = error;
    }
  }
  throw failed;
}

const MOVED = /^MOVED \d+ (\S+)$/;
/** Of a node in the same network that is alive. */
const ANSWER_MS = 2_000;

/** A node answers for its own keys, and names the owner of others. */
async function askOwner(node: Node, { access }: RedisCluster, tag: string): Promise<Node> {
  const redis = new Redis({
    ...node,
    ...access,
    ...{ connectTimeout: ANSWER_MS, commandTimeout: ANSWER_MS },
    ...{ lazyConnect: true, enableReadyCheck: false, maxRetriesPerRequest: 0 },
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.exists(`{${tag}}`);
    return node;
  } catch (error) {
    const [, owner] = MOVED.exec((error as Error).message) ?? [];
    if (owner === undefined) throw error;
    const end = owner.lastIndexOf(':');
    // A node that does not know a name for the owner means its own address.
    return { host: owner.slice(0, end) || node.host, port: Number(owner.slice(end + 1)) };
  } finally {
    redis.disconnect();
  }
}
