import { parseAst } from 'vitest/node';

export type Pattern = { readonly path: string; readonly source: string; readonly flags: string };
type Node = { readonly type?: string; readonly [key: string]: unknown };

/** Every regular expression that stands in a TypeScript file as a literal, and how many are composed at run time. */
export function patternsIn(path: string, text: string) {
  const literals: Pattern[] = [];
  let composed = 0;
  for (const node of nodesBelow(parseAst(text, { lang: 'ts' }) as unknown as Node)) {
    const regex = node['regex'] as { pattern: string; flags: string } | undefined;
    if (regex !== undefined) literals.push({ path, source: regex.pattern, flags: regex.flags });
    if ((node['callee'] as Node | undefined)?.['name'] === 'RegExp') composed += 1;
  }
  return { literals, composed };
}

function* nodesBelow(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node).flat()) {
    if (value !== null && typeof value === 'object' && 'type' in value) yield* nodesBelow(value as Node);
  }
}
