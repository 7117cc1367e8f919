import { fileURLToPath } from 'node:url';
import { generatedSecret } from '../src/config.ts';
import { COMPOSE_FILES, CONTAINER } from '../src/embedded/docker.ts';
import { type ServiceName, urlOf } from '../src/embedded/probe.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICES = Object.values(CONTAINER).map(({ service }) => service);

/** A set of services of a test run as containers: those of docker-compose.yml, with a password of their own. */
export async function openContainers() {
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
  return {
    mongoUrl: url('mongo'),
    creditsRedisUrl: url('credits'),
    queueRedisUrl: url('queue'),
    kind: 'docker' as const,
    release: async (): Promise<void> => {
      await started.down({ removeVolumes: true });
    },
  };
}
