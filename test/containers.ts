import { fileURLToPath } from 'node:url';
import { COMPOSE_FILES, CONTAINER } from '../packages/embedded/docker.ts';
import { type ServiceName, urlOf } from '../packages/embedded/probe.ts';
import { generatedSecret } from '../src/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICES = Object.values(CONTAINER).map(({ service }) => service);

/** So many sets of services as containers, each those of docker-compose.yml with a password of its own. */
export async function openContainers(count: number) {
  const tried = await Promise.allSettled(Array.from({ length: count }, openSet));
  const sets = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const release = async (): Promise<void> => {
    await Promise.all(sets.map(({ down }) => down()));
  };
  for (const one of tried) {
    if (one.status === 'fulfilled') continue;
    await release();
    throw one.reason;
  }
  return { services: sets.map(({ urls }) => urls), release };
}

async function openSet() {
  // Loaded here, so that runs without Docker do not pay for it.
  const { DockerComposeEnvironment, Wait } = await import('testcontainers');
  const password = generatedSecret();
  const started = await new DockerComposeEnvironment(ROOT, [...COMPOSE_FILES])
    .withEnvironment({ MONGO_PASSWORD: password, REDIS_PASSWORD: password })
    .withDefaultWaitStrategy(Wait.forHealthCheck())
    .up(SERVICES);
  const url = (name: ServiceName): string => {
    const { service, port } = CONTAINER[name];
    return urlOf(name, started.getContainer(`${service}-1`).getMappedPort(port), password);
  };
  const urls = {
    ...{ mongoUrl: url('mongo'), creditsRedisUrl: url('credits'), queueRedisUrl: url('queue') },
    kind: 'docker',
  };
  return { urls, down: () => started.down({ removeVolumes: true }) };
}
