import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePortFrom } from '../../packages/embedded/port.ts';
import { openRuntime } from '../../packages/embedded/venv.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';

/** Three masters, each with a replica: processes of the server that the product embeds. */
export type TestCluster = {
  /** As a setting: it names three nodes, the others are found. */
  readonly url: string;
  /** kill -9 of the master that has a hash tag. Resolves when its replica has taken its place. */
  readonly failOver: (tag: string) => Promise<void>;
  /** Its replica takes the place of the master that has a hash tag, which goes on as the replica. */
  readonly handOver: (tag: string) => Promise<void>;
  readonly close: () => void;
};

type Ports = { readonly port: number; readonly bus: number };
type Node = Ports & { readonly child: ChildProcess; readonly admin: Redis };

const MASTERS = 3;
const SLOTS = 16_384;
const PASSWORD = 'of-a-cluster-of-tests';
/** A master that is silent for so long is replaced: longer than a busy machine holds up a process. */
const NODE_TIMEOUT_MS = 5_000;
const LIMIT_MS = 120_000;

export async function openCluster(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-cluster-'));
  const { redisServer } = await openRuntime(() => undefined);
  const nodes = (await freePorts()).map((ports) => startNode(redisServer, folder, ports));
  const close = (): void => {
    for (const { admin, child } of nodes) {
      admin.disconnect();
      child.kill('SIGKILL');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await form(nodes);
  } catch (error) {
    close();
    throw error;
  }
  const named = nodes.slice(0, MASTERS).map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis-cluster://:${PASSWORD}@${named.join(',')}`,
    failOver: (tag) => failOver(nodes, tag),
    handOver: (tag) => handOver(nodes, tag),
    close,
  };
}

/** Below the ports that outgoing connections take. */
async function freePorts(): Promise<Ports[]> {
  const taken = new Set<number>();
  const next = async (): Promise<number> => {
    const port = await freePortFrom(15_000 + Math.floor(Math.random() * 10_000), {
      host: '127.0.0.1',
      taken,
    });
    taken.add(port);
    return port;
  };
  const found: Ports[] = [];
  for (let n = 0; n < 2 * MASTERS; n += 1) found.push({ port: await next(), bus: await next() });
  return found;
}

function startNode(program: string, folder: string, { port, bus }: Ports): Node {
  const dir = join(folder, String(port));
  mkdirSync(dir);
  const settings = {
    ...{ port, 'cluster-port': bus, bind: '127.0.0.1', dir, requirepass: PASSWORD, masterauth: PASSWORD },
    ...{ 'cluster-enabled': 'yes', 'cluster-node-timeout': NODE_TIMEOUT_MS },
    ...{ appendonly: 'yes', 'maxmemory-policy': 'noeviction', save: '' },
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, args, { stdio: 'ignore' });
  const admin = new Redis({ host: '127.0.0.1', port, password: PASSWORD });
  admin.on('error', () => undefined);
  return { port, bus, child, admin };
}

/** What `redis-cli --cluster create` does. */
async function form(nodes: readonly Node[]): Promise<void> {
  for (const [n, { admin }] of nodes.slice(0, MASTERS).entries()) {
    const [from, to] = [n, n + 1].map((part) => Math.floor((part * SLOTS) / MASTERS));
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', from ?? 0, (to ?? 0) - 1);
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
  }
  const [first] = nodes;
  for (const { port, bus } of nodes) await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
  await until(nodes, ({ admin }) => says(admin, `cluster_known_nodes:${nodes.length}`));
  for (const [n, { admin }] of nodes.slice(MASTERS).entries()) {
    await admin.call('CLUSTER', 'REPLICATE', String(await nodes[n]?.admin.call('CLUSTER', 'MYID')));
  }
  await until(nodes, ({ admin }) => says(admin, 'cluster_state:ok'));
  await until(nodes.slice(MASTERS), async ({ admin }) =>
    (await admin.info('replication')).includes('master_link_status:up'),
  );
}

async function failOver(nodes: readonly Node[], tag: string): Promise<void> {
  const before = await ownerOf(nodes, tag);
  const left = nodes.filter(({ port }) => port !== before);
  nodes.find(({ port }) => port === before)?.child.kill('SIGKILL');
  const isReplaced = async (): Promise<boolean> => (await ownerOf(left, tag)) !== before;
  if (!(await waitUntil(isReplaced, LIMIT_MS))) throw new Error('no replica has taken over');
  await until(left, ({ admin }) => says(admin, 'cluster_state:ok'));
}

async function handOver(nodes: readonly Node[], tag: string): Promise<void> {
  const before = await ownerOf(nodes, tag);
  const replica = await Promise.all(
    nodes.map(async ({ admin }) => (await admin.info('replication')).includes(`master_port:${before}`)),
  );
  const taker = nodes[replica.indexOf(true)];
  if (taker === undefined) throw new Error(`${before} has no replica`);
  const isUp = async () => (await taker.admin.info('replication')).includes('master_link_status:up');
  if (!(await waitUntil(isUp, LIMIT_MS))) throw new Error('the replica does not follow');
  await taker.admin.call('CLUSTER', 'FAILOVER');
  // Every node, as a process may ask any of them.
  await until(nodes, async (node) => (await ownerOf([node], tag)) === taker.port);
}

/** The port of the master that has the slot of a tag, as the first node knows it. */
async function ownerOf([node]: readonly Node[], tag: string): Promise<number> {
  const slot = Number(await node?.admin.call('CLUSTER', 'KEYSLOT', `{${tag}}`));
  const ranges = (await node?.admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
  return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1] ?? 0;
}

async function says(admin: Redis, text: string): Promise<boolean> {
  return String(await admin.call('CLUSTER', 'INFO')).includes(text);
}

async function until(nodes: readonly Node[], isSo: (node: Node) => Promise<boolean>): Promise<void> {
  for (const node of nodes) {
    if (!(await waitUntil(() => isSo(node), LIMIT_MS))) throw new Error(`node ${node.port} is not ready`);
  }
}
