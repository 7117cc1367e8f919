import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Paths of the Markdown files of a folder, relative to it and in order: those that git has there, without hidden
 * folders. Where git has none, as in an unpacked archive, all that are not below `node_modules`.
 */
export function markdownIn(root: string): readonly string[] {
  const paths = trackedIn(root);
  return (paths.length > 0 ? paths : foundIn(root)).sort();
}

function trackedIn(root: string): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' });
  if (listed.status !== 0) return [];
  return listed.stdout
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('.') && existsSync(join(root, path)));
}

function foundIn(root: string): string[] {
  const inRoot = readdirSync(root, { withFileTypes: true });
  const folders = inRoot.filter((one) => one.isDirectory() && !/^(?:\.|node_modules$)/.test(one.name));
  const below = folders.flatMap(({ name: folder }) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
  );
  return [...inRoot.map(({ name }) => name), ...below].filter(
    (path) => path.endsWith('.md') && !path.includes('node_modules'),
  );
}
