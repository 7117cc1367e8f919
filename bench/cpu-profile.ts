/** Whose CPU the samples of a profile are. */

/** Of a `.cpuprofile`: https://chromedevtools.github.io/devtools-protocol/tot/Profiler#type-Profile */
export type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[] | undefined;
  }[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
};

/** By the address of the file of a function. The first that fits is the owner. */
export type Owners<Name extends string> = Readonly<Record<Name, RegExp>>;

/** Samples without a function of JavaScript or of Node. */
const NOBODY: readonly string[] = ['(idle)', '(program)'];

/** Microseconds by owner: a function that no owner claims belongs to its caller's. Idle time is left out. */
export function spentBy<Name extends string>(
  { nodes, samples = [], timeDeltas = [] }: Profile,
  owners: Owners<Name>,
): Record<Name | 'other', number> {
  const names = Object.keys(owners) as Name[];
  const spent = Object.fromEntries([...names, 'other'].map((name) => [name, 0]));
  const found = ownersOf(nodes, (url) => names.find((name) => owners[name].test(url)));
  for (const [at, id] of samples.entries()) {
    const owner = found.get(id);
    if (owner !== undefined) spent[owner] = (spent[owner] ?? 0) + (timeDeltas[at] ?? 0);
  }
  return spent as Record<Name | 'other', number>;
}

/** By the id of a node; none for those of nobody. */
function ownersOf<Name extends string>(
  nodes: Profile['nodes'],
  ownerOf: (url: string) => Name | undefined,
): Map<number, Name | 'other'> {
  const owners = new Map<number, Name | 'other'>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (id: number, callers: Name | 'other'): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { url, functionName } = node.callFrame;
    const owner = ownerOf(url) ?? callers;
    if (!NOBODY.includes(functionName)) owners.set(id, owner);
    for (const child of node.children ?? []) visit(child, owner);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root.id, 'other');
  return owners;
}
