import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENT_SAMPLES } from '../../src/site/docs/clients.ts';
import { makeVenv, pythonVenv, TOOLS } from '../contract/program.ts';
import { sampleRequests } from './curl.ts';
import { runDocumented } from './documented.ts';
import { copyConsumer, environmentOf, onlyFile, runOrThrow, type Service } from './step.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/python/', import.meta.url));
const SAMPLE_BRIEF = fileURLToPath(new URL('../../src/site/sample-brief.json', import.meta.url));

/** The programs that other people's clients and the build of ours need. */
export function toolsVenv(): Promise<string> {
  return pythonVenv('clients', join(TOOLS, 'clients', 'requirements.txt'), "other people's clients");
}

/** Builds the wheel of `packages/python`, installs it in an empty venv, runs its tests and a program with it. */
export async function pythonPackage(service: Service, folder: string): Promise<void> {
  const description = join(folder, 'openapi.json');
  writeFileSync(description, await (await fetch(`${service.origin}/openapi.json`)).text());
  const samples = { TIDEMARK_SAMPLE_BRIEF: SAMPLE_BRIEF, TIDEMARK_DESCRIPTION: description };
  const running = { cwd: folder, env: { ...environmentOf(service), ...samples } };
  const wheel = [
    'wheel',
    '--quiet',
    '--no-deps',
    '--no-index',
    '--no-build-isolation',
    '-w',
    folder,
    PACKAGE,
  ];
  await runOrThrow(join(await toolsVenv(), 'pip'), wheel, running);
  const bin = await makeVenv(
    join(folder, 'venv'),
    join(PACKAGE, 'requirements.txt'),
    'httpx, pandas and requests',
  );
  const python = join(bin, 'python');
  // Offline, so that it is refused when the pinned packages are not what the wheel asks for.
  const built = `${join(folder, onlyFile(folder, '.whl'))}[pandas]`;
  await runOrThrow(python, ['-m', 'pip', 'install', '--quiet', '--no-index', built], running);
  await runOrThrow(python, ['-m', 'unittest', 'discover', '-s', join(PACKAGE, 'tests')], running);
  for (const sample of ['python', 'pandas', 'plainPandas'] as const) {
    await runOrThrow(python, ['-c', CLIENT_SAMPLES[sample](service.origin)], running);
  }
  for (const request of sampleRequests(service, 'Python')) {
    await runOrThrow(python, ['-c', request], { ...running, isQuiet: true });
  }
  copyConsumer('consumer.py', folder);
  await runOrThrow(python, ['consumer.py'], running);
  await runOrThrow(python, ['-m', 'tidemark_client', 'brief.json', 'evidence.json'], running);
  await runDocumented('python', service, { folder, python });
}
