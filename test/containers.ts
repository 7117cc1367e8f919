import type { StartedTestContainer } from 'testcontainers';
import { urlOf } from '../src/embedded/probe.ts';

const IMAGE = { mongo: 'mongo:8', redis: 'redis:8' };
const REDIS_COMMAND = ['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];

/**
 * The services of a test run as containers: MongoDB 8 as a replica set of one, and two Redis 8.
 * Unproven on machines without a Docker daemon: there the embedded pair serves instead, and nothing
 * that passes there counts as passed on a real replica set.
 */
export async function openContainers(): Promise<{
  readonly mongoUrl: string;
  readonly creditsRedisUrl: string;
  readonly queueRedisUrl: string;
  readonly kind: 'docker';
  readonly release: () => Promise<void>;
}> {
  // Loaded here, so that runs without Docker do not pay for it.
  const { GenericContainer, Wait } = await import('testcontainers');
  const redis = (): Promise<StartedTestContainer> =>
    new GenericContainer(IMAGE.redis)
      .withCommand([...REDIS_COMMAND])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
      .start();
  const mongo = new GenericContainer(IMAGE.mongo)
    .withCommand(['mongod', '--replSet', 'rs0', '--bind_ip_all'])
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage('Waiting for connections'))
    .start();
  const started = await Promise.all([mongo, redis(), redis()]);
  const [first, credits, queue] = started;
  await initiate(first);
  return {
    mongoUrl: urlAt('mongo', first, 27017),
    creditsRedisUrl: urlAt('credits', credits, 6379),
    queueRedisUrl: urlAt('queue', queue, 6379),
    kind: 'docker',
    release: async () => {
      await Promise.all(started.map((container) => container.stop()));
    },
  };
}

function urlAt(name: 'mongo' | 'credits' | 'queue', container: StartedTestContainer, port: number): string {
  return urlOf(name, container.getMappedPort(port), null).replace('127.0.0.1', container.getHost());
}

/** Returns when the one member is primary: before that, writes are refused. */
async function initiate(container: StartedTestContainer): Promise<void> {
  const script = `rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: '127.0.0.1:27017' }] });
    while (!db.hello().isWritablePrimary) sleep(100);`;
  const done = await container.exec(['mongosh', '--quiet', '--eval', script]);
  if (done.exitCode !== 0) throw new Error(`rs.initiate failed: ${done.output}`);
}
