import type { Config } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';
import { dockerReachable, openDocker } from './docker.ts';
import { type Filled, openEmbedded } from './embedded.ts';
import type { ServiceName } from './probe.ts';
import { readState } from './state.ts';

export type ServiceSettings = Pick<
  Config,
  'home' | 'mongoUrl' | 'creditsRedisUrl' | 'queueRedisUrl' | 'docker'
>;

export type Services = {
  readonly mongoUrl: string;
  readonly creditsRedisUrl: string;
  readonly queueRedisUrl: string;
  /** What filled the URLs that were not given. */
  readonly kind: 'explicit' | 'docker' | 'embedded';
  /** Gives the services back: the last holder stops what this home started. Safe to call twice. */
  readonly release: () => Promise<void>;
};

/**
 * MongoDB and the two Redis instances for one process: explicit URLs win, each by itself; the rest
 * comes from a reachable Docker daemon, else from the embedded pair in `home`. `report` receives
 * lines for a person to read. Throws a UsageError (missing Python) or an AppError `service_start`.
 */
export async function openServices(
  settings: ServiceSettings,
  report: (line: string) => void,
): Promise<Services> {
  const given: Record<ServiceName, string | undefined> = {
    mongo: settings.mongoUrl,
    credits: settings.creditsRedisUrl,
    queue: settings.queueRedisUrl,
  };
  const names: ServiceName[] = ['mongo', 'credits', 'queue'];
  const missing = names.filter((name) => given[name] === undefined);
  const kind = missing.length === 0 ? 'explicit' : await chooseKind(settings);
  const filled = await fill(kind, settings.home, { names: missing, report });
  const url = (name: ServiceName): string => {
    const known = given[name] ?? filled.urls[name];
    if (known === undefined) throw new AppError('service_start', `no URL for ${name}`);
    return known;
  };
  return {
    mongoUrl: url('mongo'),
    creditsRedisUrl: url('credits'),
    queueRedisUrl: url('queue'),
    kind,
    release: filled.release,
  };
}

/** A home that has embedded data stays embedded: Docker's volumes would start empty beside it. */
async function chooseKind(settings: ServiceSettings): Promise<'docker' | 'embedded'> {
  if (settings.docker === 'never' || readState(settings.home).kind === 'embedded') return 'embedded';
  return (await dockerReachable()) ? 'docker' : 'embedded';
}

type Wanted = { readonly names: readonly ServiceName[]; readonly report: (line: string) => void };

async function fill(kind: Services['kind'], home: string, { names, report }: Wanted): Promise<Filled> {
  switch (kind) {
    case 'explicit':
      return { urls: {}, release: async () => undefined };
    case 'embedded':
      return openEmbedded(home, names, report);
    case 'docker':
      return openDocker(home, names, report);
    default: {
      const never: never = kind;
      return never;
    }
  }
}
