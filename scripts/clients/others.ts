import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolsVenv } from './python.ts';
import { copyConsumer, environmentOf, runOrThrow, type Service } from './step.ts';

/** Generates a client with openapi-python-client from the served description, and calls with it. */
export async function generatedClient(service: Service, folder: string): Promise<void> {
  const bin = await toolsVenv();
  const running = { cwd: folder, env: environmentOf(service) };
  const description = await fetch(`${service.origin}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await description.text());
  writeFileSync(join(folder, 'config.yaml'), 'post_hooks: []\n');
  const input = ['--path', 'openapi.json', '--config', 'config.yaml', '--fail-on-warning'];
  const output = ['--meta', 'none', '--output-path', 'generated'];
  await runOrThrow(join(bin, 'openapi-python-client'), ['generate', ...input, ...output], running);
  copyConsumer('generated.py', folder, 'consumer.py');
  await runOrThrow(join(bin, 'python'), ['consumer.py'], running);
}

/** Lists and calls agent tools with the official MCP client for Python. */
export async function pythonAgent(service: Service, folder: string): Promise<void> {
  copyConsumer('agent.py', folder);
  const running = { cwd: folder, env: environmentOf(service) };
  await runOrThrow(join(await toolsVenv(), 'python'), ['agent.py'], running);
}
