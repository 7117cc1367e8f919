import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { QUEUES } from '../queues/index.ts';
import { QUEUE_GROUPS } from '../queues/queue.ts';
import { loadConfig } from '../src/config.ts';

const root = new URL('../', import.meta.url);
const source = (name: string): string => readFileSync(new URL(name, root), 'utf8');
const base = (name: string): string => source(`deploy/kubernetes/base/${name}`);
const namesIn = (text: string): string[] => [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

/** Of the Secret `tidemark`, which is not in the repository. */
const SECRET = [
  'MONGO_URL',
  'CREDITS_REDIS_URL',
  'QUEUE_REDIS_URL',
  'BOARD_PASSWORD',
  'KEY_PEPPER',
  'INVITE_CODES',
];
/** Of docker-compose.yml, and of the command line of a customer. */
const ELSEWHERE = ['MONGO_PASSWORD', 'REDIS_PASSWORD', 'TIDEMARK_KEY'];

/** Of the Secret, what the Deployment of a file names. */
const secretsOf = (name: string): string[] =>
  [
    ...base(name).matchAll(
      /name: ([A-Z_]+),\s+valueFrom: \{ secretKeyRef: \{ name: tidemark, key: ([A-Z_]+)/g,
    ),
  ].map(([, variable = '', key]) => (variable === key ? variable : `${variable} from ${key}`));

test('every setting of .env.example reaches every process, and each secret only who uses it', () => {
  const settings = base('settings.env');
  expect([...namesIn(settings), ...SECRET, ...ELSEWHERE].sort()).toEqual(
    namesIn(source('.env.example')).sort(),
  );
  for (const name of SECRET) expect(settings).toContain(name);
  expect(base('process.yaml')).toContain('- configMapRef: { name: settings }');
  expect(secretsOf('process.yaml')).toEqual(SECRET.slice(0, 3));
  expect(secretsOf('api.yaml')).toEqual(['KEY_PEPPER', 'INVITE_CODES']);
  expect(secretsOf('board.yaml')).toEqual(['BOARD_PASSWORD']);
  expect(base('kustomization.yaml')).toMatch(
    /name: scheduler \}[\s\S]*CREDITS_REDIS_URL, value: "redis:\/\/none", valueFrom: null/,
  );
  for (const name of readdirSync(new URL('deploy/kubernetes/base/', root)))
    expect(base(name)).not.toContain('secretRef:');
});

test('the settings start a process in production', () => {
  const lines = base('settings.env').split('\n');
  const given = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2));
  const secret = {
    ...{ KEY_PEPPER: 'a pepper of 16 and more', BOARD_PASSWORD: 'a password of 16 and more' },
    ...{
      MONGO_URL: 'mongodb://mongo/',
      CREDITS_REDIS_URL: 'redis-cluster://redis',
      QUEUE_REDIS_URL: 'redis://redis',
    },
  };
  expect(loadConfig({ ...Object.fromEntries(given), ...secret })).toMatchObject({
    ...{ isProduction: true, home: '/home/node/tidemark', host: '0.0.0.0', port: 8_080 },
    ...{ boardHost: '0.0.0.0', boardPort: 8_081 },
  });
});

test('each group of queues has workers, and they follow the length of its own queues', () => {
  const [workers, scaling] = [base('workers.yaml'), base('scaling.yaml')];
  for (const group of QUEUE_GROUPS) {
    expect(workers).toContain(`args: [work, --queues, ${group}]`);
    const own = Object.values(QUEUES).filter((queue) => queue.group === group);
    const object = scaling.split('\n---\n').find((part) => part.includes(`name: worker-${group}\n`)) ?? '';
    const [, listed = ''] = /queue=~"([a-z|]+)"/.exec(object) ?? [];
    expect(listed.split('|')).toEqual(own.map(({ name }) => name).sort());
  }
});

test('nothing is a secret, and no image of a stranger runs', () => {
  const folder = new URL('deploy/kubernetes/base/', root);
  for (const name of readdirSync(folder)) {
    expect(base(name)).not.toMatch(/kind: Secret\b/);
    for (const [, image] of base(name).matchAll(/image: (.*)/g)) expect(image).toBe('tidemark');
  }
});
