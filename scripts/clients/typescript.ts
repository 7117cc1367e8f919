import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENT_SAMPLES } from '../../src/site/docs/clients.ts';
import { sampleRequests } from './curl.ts';
import { runDocumented } from './documented.ts';
import { copyConsumer, environmentOf, onlyFile, runOrThrow, type Service } from './step.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/client/', import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** Packs `packages/client`, installs it in an empty project, compiles a program against its types, runs it with plain Node. */
export async function typescriptPackage(service: Service, folder: string): Promise<void> {
  const running = { cwd: folder, env: environmentOf(service) };
  await runOrThrow('npm', ['pack', '--silent', '--pack-destination', folder, PACKAGE], running);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const tarball = join(folder, onlyFile(folder, '.tgz'));
  await runOrThrow('npm', ['install', '--silent', '--no-audit', '--no-fund', tarball], running);
  copyConsumer('consumer.ts', folder);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--types', 'node'];
  const types = ['--typeRoots', fileURLToPath(new URL('../../node_modules/@types', import.meta.url))];
  const target = ['--module', 'nodenext', '--target', 'es2023'];
  const requests = sampleRequests(service, 'TypeScript').map((source, at) => {
    const name = `request-${at}`;
    writeFileSync(join(folder, `${name}.ts`), source);
    return name;
  });
  const programs = ['consumer', ...requests];
  const sources = programs.map((name) => `${name}.ts`);
  await runOrThrow(process.execPath, [TSC, ...strict, ...types, ...target, ...sources], running);
  await runOrThrow(process.execPath, ['consumer.js'], running);
  for (const name of requests) {
    await runOrThrow(process.execPath, [`${name}.js`], { ...running, isQuiet: true });
  }
  writeFileSync(join(folder, 'sample.js'), CLIENT_SAMPLES.typescript(service.origin));
  await runOrThrow(process.execPath, ['sample.js'], running);
  await runOrThrow('npx', ['--no', 'tidemark-verify', 'brief.json', 'evidence.json'], running);
  await runDocumented('typescript', service, { folder });
}
