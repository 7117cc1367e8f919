import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const compose = source('docker-compose.yml');
const settings = [...source('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

/** The block of a key: the lines after it that are indented deeper. */
function block(text: string, key: RegExp): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => key.test(line));
  const depth = (line = ''): number => line.search(/\S/);
  const until = lines.findIndex(
    (line, at) => at > from && depth(line) >= 0 && depth(line) <= depth(lines[from]),
  );
  return lines.slice(from + 1, until === -1 ? undefined : until).join('\n');
}

const image = block(compose, /^x-tidemark:/);
const PROCESSES = [
  'api',
  'worker-live',
  'worker-briefs',
  'worker-heavy',
  'worker-leaderboard',
  'worker-bulk',
  'scheduler',
  'dashboards',
];

/** The secrets of .env, of which a process has the ones that it names. */
const SECRETS = [
  'MONGO_PASSWORD',
  'REDIS_PASSWORD',
  'TIDEMARK_KEY',
  'KEY_PEPPER',
  'INVITE_CODES',
  'BOARD_PASSWORD',
];
const OWN: Readonly<Record<string, readonly string[]>> = {
  api: ['KEY_PEPPER', 'INVITE_CODES'],
  dashboards: ['BOARD_PASSWORD'],
  scheduler: [],
};

test('every setting of .env.example reaches every process of docker-compose.yml, and each secret only who uses it', () => {
  expect(image).toContain('env_file: [{ path: .env, required: false }]');
  for (const name of PROCESSES) {
    const service = block(compose, new RegExp(`^  ${name}:`));
    expect(service).toContain('<<: *tidemark');
    // A second one would replace the first.
    expect(service).not.toMatch(/^\s*env_file:/m);
    const own = OWN[name];
    const lines = ['<<: *environment', ...(own ?? []).map((secret) => `${secret}: \${${secret}:-}`)];
    expect(service.split('\n').filter((line) => line.startsWith('      ') && /: [*$]/.test(line))).toEqual(
      own === undefined ? [] : lines.map((line) => `      ${line}`),
    );
  }
  expect(block(compose, /^ {2}scheduler:/)).toContain('CREDITS_REDIS_URL: redis://none');
  const none = [...block(image, /^ {2}environment:/).matchAll(/^ {4}([A-Z_]+): ""$/gm)];
  expect(none.map(([, name = '']) => name)).toEqual(SECRETS);
  // What is set to another value inside is what has another meaning there.
  const replaced = [...block(image, /^ {2}environment:/).matchAll(/^ {4}([A-Z_]+): (.*)$/gm)]
    .filter(([, name = '', value]) => value !== '""' && !value?.includes(`\${${name}`))
    .map(([, name = '']) => name);
  expect(replaced).toEqual(['TIDEMARK_HOME', 'HOST', 'PORT', 'BOARD_HOST', 'BOARD_PORT']);
  for (const name of replaced.slice(1)) expect(compose).toContain(`\${${name}:-`);
  expect(settings.length).toBeGreaterThan(30);
});

test('what docker-compose.yml reads is documented', () => {
  const read = [...compose.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
  expect(settings).toEqual(expect.arrayContaining(read));
});

test('a port is published on the loopback address unless HOST says otherwise, and no port of a database', () => {
  const ports = [...compose.matchAll(/ports: (.*)/g)].map(([, list = '']) => list);
  expect(ports).toEqual([
    `["\${HOST:-127.0.0.1}:\${PORT:-8080}:8080"]`,
    `["\${BOARD_HOST:-127.0.0.1}:\${BOARD_PORT:-8081}:8081"]`,
  ]);
  expect(source('docker-compose.local.yml').match(/ports: \["127\.0\.0\.1::\d+"\]/g)).toHaveLength(3);
});

test('memory has an end in every service, and Redis refuses before the system kills it', () => {
  expect(block(compose, /^x-redis:/)).toMatch(/--maxmemory 512mb .*^ {2}mem_limit: 1g$/ms);
  expect(image).toMatch(/^ {2}tmpfs: \["\/tmp:size=256m"\].*\n {2}mem_limit: 1g$/m);
  expect(block(compose, /^ {2}mongo:/)).toMatch(/^ {4}mem_limit: 4g/m);
  expect(block(compose, /^ {2}worker-bulk:/)).toMatch(/mem_limit: 4g\n {4}tmpfs: \["\/tmp:size=1200m"\]/);
});

test('no database runs with more rights than it needs', () => {
  for (const part of [block(compose, /^x-redis:/), block(compose, /^ {2}mongo:/)]) {
    expect(part).toContain('cap_drop: [ALL]');
    expect(part).toContain('security_opt: ["no-new-privileges:true"]');
  }
  expect(compose).not.toContain("'root'");
});

test('MongoDB and both instances of Redis ask for a password that has no default', () => {
  expect(compose).toContain(`\${MONGO_PASSWORD:?`);
  expect(block(compose, /^x-redis:/)).toMatch(/requirepass \$\$REDISCLI_AUTH.*\$\{REDIS_PASSWORD:\?/s);
  for (const name of ['mongo', 'redis-credits', 'redis-queue']) {
    expect(compose).toMatch(new RegExp(`://(tidemark)?:\\$\\{(MONGO|REDIS)_PASSWORD\\}@${name}:`));
  }
});
