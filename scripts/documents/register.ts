/** How it is known that a listing or command is right. */
export type Way =
  | Run
  /** This test or program runs or parses it. */
  | { readonly heldBy: string }
  | { readonly notRun: string };

/**
 * A check of `npm run clients` runs it as it stands. `says`: it goes on without end, and is ended once it said this.
 */
export type Run = {
  readonly run: Check;
  readonly by: 'sh' | 'node' | 'python';
  readonly says?: RegExp;
};

/** `curl` needs nothing installed; the others have the package of their language. */
export type Check = 'curl' | 'typescript' | 'python';

const CURL: Way = { run: 'curl', by: 'sh' };
const HOSTS: Way = { heldBy: 'src/site/agent-hosts.test.ts' };
const SAMPLES_TS: Way = { heldBy: 'scripts/clients/typescript.ts' };
const SAMPLES_PY: Way = { heldBy: 'scripts/clients/python.ts' };
const PICTURE: Way = { notRun: 'a picture, not a command' };
/** The number and accession of an event. */
const AN_EVENT = /^\d+ .*\d{10}-\d{2}-\d{6}/m;

const AGENTS: Readonly<Record<string, Way>> = {
  'Claude Code': HOSTS,
  'Claude Desktop': HOSTS,
  'VS Code': HOSTS,
  Cursor: HOSTS,
  Codex: HOSTS,
  'Plain HTTP': CURL,
};

/** Every listing, by the place and the name of {@link Listing}. */
export const LISTINGS: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  'README.md': {
    'npm run demo     # installs what runs, starts everything, ingests real filings, serves until Ctrl-C': {
      heldBy: 'scripts/matrix.ts',
    },
    'curl -s -H "Authorization: Bearer $TIDEMARK_KEY" http://127.0.0.1:8080/v1/stocks/AMZN/capital-change-brief':
      CURL,
    '{ "data": {': { heldBy: 'src/site/sample.test.ts' },
    'npx --no tidemark brief verify brief.json    # in this folder; what curl -o brief.json wrote, or the brief alone; "-" reads stdin':
      { heldBy: 'scripts/clients/curl.ts' },
  },
  'CONTRIBUTING.md': { 'npm ci': { heldBy: '.ci/run' } },
  'ARCHITECTURE.md': {
    '                 src/api   src/connect   src/site                 jobs ◀── queues (data)': PICTURE,
    'flowchart LR': PICTURE,
  },
  'docs/layers.md': {
    '!io: node:fs node:http node:https node:net node:tls node:child_process node:worker_threads': {
      heldBy: 'scripts/layers.test.ts',
    },
  },
  'docs/operations.md': {
    '{"level":30,"time":1795398653042,"name":"access","requestId":"6f1c0a9d2b47-2s","org":"org_…","key":"Ab3dE9xY","route":"/v1/stocks/{ticker}/capital-change-brief","tool":"","status":200,"ms":1.4,"credits":10,"attemptId":"6f1c0a9d2b47-2s"}':
      { heldBy: 'test/api/access-log.test.ts' },
  },
  'docs/scale-out.md': {
    'redis-cluster://USER:PASSWORD@HOST:PORT,HOST:PORT,HOST:PORT': { heldBy: 'src/redis-cluster.test.ts' },
    'docker build -t registry.example.com/tidemark:0.1.0 . && docker push registry.example.com/tidemark:0.1.0':
      { notRun: 'needs Docker, a registry and a cluster; deploy/kubernetes/check.sh judges the manifests' },
    'npm install --prefix /opt/otel @opentelemetry/api @opentelemetry/auto-instrumentations-node': {
      notRun: '230 packages of others, and a collector',
    },
  },
  'packages/client/README.md': {
    "import { answerOf, tidemark, verifyBrief } from 'tidemark-client';": {
      ...{ run: 'typescript', by: 'node', says: AN_EVENT },
    },
  },
  'packages/python/README.md': { 'import os': { run: 'python', by: 'python', says: AN_EVENT } },
  '/docs': {
    'A brief with curl': CURL,
    'A brief with TypeScript': { run: 'typescript', by: 'node' },
    'A brief with Python': { run: 'python', by: 'python' },
    ...AGENTS,
    'The addresses of the pages': CURL,
    'An error answer': { heldBy: 'test/api/messages.test.ts' },
    'A call with its own key': CURL,
    'A loop that follows events': { run: 'python', by: 'python', says: AN_EVENT },
    'Installation of the clients': SAMPLES_PY,
    'TypeScript with the client': SAMPLES_TS,
    'Python with the client': SAMPLES_PY,
    'pandas with the client': SAMPLES_PY,
    'pandas without the client': SAMPLES_PY,
    'Holdings as CSV': CURL,
    'Checking a brief offline': { run: 'typescript', by: 'sh' },
  },
  '/docs/endpoints': {
    'Request in curl': { heldBy: 'scripts/clients/curl.ts' },
    'Request in TypeScript': SAMPLES_TS,
    'Request in Python': SAMPLES_PY,
    'A recorded answer': { heldBy: 'scripts/examples.ts' },
  },
  '/docs/errors': { 'An error answer': { heldBy: 'src/api/openapi/document.test.ts' } },
  '/connect': {
    curl: CURL,
    'curl, a brief': CURL,
    TypeScript: { run: 'typescript', by: 'node' },
    Python: { run: 'python', by: 'python' },
    ...AGENTS,
  },
};

const CI: Way = { heldBy: '.ci/run' };
const MEASURES: Way = {
  notRun: 'it measures: minutes to hours on a quiet machine; the types hold its calls',
};

/** Scripts of npm that a document names. The parts of `bench` are measured as it is. */
export const SCRIPTS: Readonly<Record<string, Way>> = {
  bench: MEASURES,
  ...{
    client: CI,
    clients: CI,
    conformance: CI,
    contract: CI,
    demo: { heldBy: 'scripts/matrix.ts' },
    engine: CI,
    lint: CI,
    matrix: CI,
    test: CI,
    'test:long': CI,
  },
  drill: { heldBy: 'test/faults/restore/drill.test.ts' },
  examples: { heldBy: 'src/site/sample.test.ts' },
  faults: { heldBy: 'scripts/faults/report.test.ts' },
  layers: { heldBy: 'scripts/layers.test.ts' },
  'second-opinion': CI,
};

const CLUSTER: Way = { notRun: 'needs a cluster of Kubernetes' };
const DOCKER: Way = { heldBy: 'deploy/docker-proof/proof.sh' };

/** Commands in the text that are neither of `tidemark` nor scripts of npm. */
export const COMMANDS: Readonly<Record<string, Way>> = {
  '.ci/run': { notRun: 'it runs everything, this test included' },
  'cp .env.example .env': { heldBy: 'src/config.test.ts' },
  'docker buildx imagetools inspect node:22-slim': { notRun: 'needs a registry of images' },
  'docker compose up --build': DOCKER,
  'kill -9': { heldBy: 'test/faults/pipeline/killed.test.ts' },
  'kubectl create secret generic tidemark --namespace tidemark --from-env-file=secret.env': CLUSTER,
  'kubectl scale': CLUSTER,
  'mongodump --oplog': { notRun: "MongoDB's own program, on a replica set" },
  'npm ci': CI,
  'npm ci --omit=dev --ignore-scripts': { heldBy: 'scripts/install.mjs' },
  'npm pack ./packages/client': SAMPLES_TS,
  curl: { notRun: 'the name of a program' },
  python: { notRun: 'the name of a program' },
  'pip wheel --no-deps ./packages/python': SAMPLES_PY,
  'python -m tidemark_client brief.json [evidence.json …]': SAMPLES_PY,
  'npx npm@10.8.2 install --package-lock-only': {
    notRun: 'it writes the lock; npm run matrix installs by it',
  },
  'npx --no tidemark-verify brief.json [evidence.json …]': SAMPLES_TS,
};
