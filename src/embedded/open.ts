import type { Config } from '../config.ts';
import { AppError, UsageError } from '../errors.ts';
import { dockerReachable, openDocker } from './docker.ts';
import { openEmbedded } from './embedded.ts';
import type { ServiceName } from './probe.ts';
import { readState } from './state.ts';

export type ServiceSettings = Pick<
  Config,
  'home' | 'mongoUrl' | 'creditsRedisUrl' | 'queueRedisUrl' | 'docker' | 'engine'
>;

export type Services = Awaited<ReturnType<typeof openServices>>;

/**
 * MongoDB and the two Redis instances for one process. A URL that is set is used. The others come from a
 * reachable Docker daemon, else from the embedded pair in `home`. `report` receives lines for a person.
 * The last holder that releases them stops those that this home started; releasing is safe to repeat.
 * Throws a UsageError (missing Python, a home of Docker without Docker) or an AppError `service_start`.
 */
export async function openServices(settings: ServiceSettings, report: (line: string) => void) {
  const given: Record<ServiceName, string | undefined> = {
    mongo: settings.mongoUrl,
    credits: settings.creditsRedisUrl,
    queue: settings.queueRedisUrl,
  };
  const names: ServiceName[] = ['mongo', 'credits', 'queue'];
  const missing = names.filter((name) => given[name] === undefined);
  const kind = missing.length === 0 ? 'explicit' : await chooseKind(settings);
  const opened = await OPENERS[kind](settings.home, missing, { engine: settings.engine, report });
  const url = (name: ServiceName): string => {
    const known = given[name] ?? opened.urls[name];
    if (known === undefined) throw new AppError('service_start', `no URL for ${name}`);
    return known;
  };
  return {
    mongoUrl: url('mongo'),
    creditsRedisUrl: url('credits'),
    queueRedisUrl: url('queue'),
    kind,
    release: opened.release,
  };
}

/** Where the URLs that are not set come from. */
const OPENERS: Record<'explicit' | 'docker' | 'embedded', typeof openEmbedded> = {
  explicit: async () => ({ urls: {}, release: async () => undefined }),
  embedded: openEmbedded,
  docker: openDocker,
};

/** A home keeps its first kind, because the other kind would start without its data. */
async function chooseKind({ home, docker }: ServiceSettings): Promise<'docker' | 'embedded'> {
  const { kind } = readState(home);
  if (kind === 'embedded') return 'embedded';
  const isReachable = docker !== 'never' && (await dockerReachable());
  if (isReachable) return 'docker';
  if (kind === undefined) return 'embedded';
  const problem =
    docker === 'never' ? 'DOCKER=never forbids it' : 'no Docker daemon with the compose plugin answers';
  throw new UsageError(
    `The data of ${home} is in Docker, and ${problem}. Change that, or set TIDEMARK_HOME to another folder.`,
  );
}
