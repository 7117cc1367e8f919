import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ENGINE_CRATE, engineFolder, findOnPath, rustEngine } from '../packages/embedded/engine.ts';

/**
 * `npm run engine` builds the Rust server of the embedded MongoDB with cargo, once for all checkouts of
 * the user. New homes use it from then on. Exit code 0 where it is there already, 1 where it cannot be built.
 */
const SHOWN_EVERY = 25;

const known = rustEngine();
if (known !== null) say(`${ENGINE_CRATE.program} is there: ${known}`);
else if (findOnPath('cargo') === null) {
  say('cargo is not on PATH: install Rust (https://rustup.rs), then run npm run engine again.');
  process.exitCode = 1;
} else process.exitCode = await build();

async function build(): Promise<number> {
  const folder = engineFolder();
  say(`Building ${ENGINE_CRATE.name} ${ENGINE_CRATE.version} into ${folder} (some minutes, once) …`);
  // Its manifest asks for a newer compiler than it needs.
  const args = [
    'install',
    ENGINE_CRATE.name,
    '--version',
    ENGINE_CRATE.version,
    '--locked',
    '--ignore-rust-version',
  ];
  const code = await run('cargo', [...args, '--root', folder]);
  const built = rustEngine();
  if (code === 0 && built !== null) {
    say(`Built ${built}. New homes use it; a home keeps the engine that made it.`);
    return 0;
  }
  rmSync(folder, { recursive: true, force: true });
  say(`cargo could not build it (exit code ${code}); the Python engine stays in use.`);
  return 1;
}

/** Passes on every so many lines of progress, and each error. */
function run(program: string, args: readonly string[]): Promise<number | null> {
  return new Promise((settle) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let lines = 0;
    child.stderr.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\n')) {
        if (/^\s*Compiling/.test(line)) lines += 1;
        if (/^error/.test(line) || (/^\s*Compiling/.test(line) && lines % SHOWN_EVERY === 0))
          say(`  ${line.trim()}`);
      }
    });
    child.on('error', () => settle(null));
    child.on('close', settle);
  });
}

function say(line: string): void {
  console.error(line);
}
