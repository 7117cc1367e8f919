import type { Config } from '../../src/config.ts';
import { AppError, UsageError } from '../../src/errors.ts';
import { openDocker, preferDocker } from './docker.ts';
import { openEmbedded } from './embedded.ts';
import type { OpenedServices } from './lease.ts';
import type { ServiceName } from './probe.ts';
import { readState } from './state.ts';

export type ServiceSettings = Pick<
  Config,
  'home' | 'mongoUrl' | 'creditsRedisUrl' | 'queueRedisUrl' | 'docker' | 'engine'
>;

export type Services = Awaited<ReturnType<typeof openServices>>;

/**
 * MongoDB and the two Redis instances for one process. A URL that is set is used. The others come from a
 * Docker daemon that can start them, else from the embedded pair in `home`. `report` receives lines for a person.
 * The last holder that releases them stops those that this home started; releasing is safe to repeat.
 * Throws a UsageError (no pair for this machine, a home of Docker without Docker) or an AppError `service_start`.
 */
export async function openServices(settings: ServiceSettings, report: (line: string) => void) {
  const given: Record<ServiceName, string | undefined> = {
    mongo: settings.mongoUrl,
    credits: settings.creditsRedisUrl,
    queue: settings.queueRedisUrl,
  };
  const names: ServiceName[] = ['mongo', 'credits', 'queue'];
  const missing = names.filter((name) => given[name] === undefined);
  const { kind, urls, release } =
    missing.length === 0 ? NOTHING : await openMissing(settings, missing, report);
  const url = (name: ServiceName): string => {
    const known = given[name] ?? urls[name];
    if (known === undefined) throw new AppError('service_start', `no URL for ${name}`);
    return known;
  };
  return {
    mongoUrl: url('mongo'),
    creditsRedisUrl: url('credits'),
    queueRedisUrl: url('queue'),
    kind,
    release,
  };
}

type Opened = OpenedServices & { readonly kind: 'explicit' | 'docker' | 'embedded' };
const NOTHING: Opened = { kind: 'explicit', urls: {}, release: async () => undefined };

/** A home keeps its first kind, because the other kind would start without its data. */
async function openMissing(
  settings: ServiceSettings,
  names: readonly ServiceName[],
  report: (line: string) => void,
): Promise<Opened> {
  const { home, docker, engine } = settings;
  const { kind } = readState(home);
  if (kind === 'docker' && docker === 'never') throw otherKind(home, 'in Docker', docker);
  if (kind === 'embedded' && docker === 'always') throw otherKind(home, 'in the embedded pair', docker);
  if (kind !== 'embedded' && docker !== 'never') {
    const data = kind === 'docker' ? `The data of ${home} is in Docker` : null;
    const because = docker === 'always' ? 'DOCKER=always' : data;
    const opened = await preferDocker(because, report, () => openDocker(home, names, { report }));
    if (opened !== null) return { kind: 'docker', ...opened };
  }
  return { kind: 'embedded', ...(await openEmbedded(home, names, { engine, report })) };
}

function otherKind(home: string, where: string, docker: string): UsageError {
  return new UsageError(
    `The data of ${home} is ${where}, and DOCKER=${docker}. Change that, or set TIDEMARK_HOME to another folder.`,
  );
}
