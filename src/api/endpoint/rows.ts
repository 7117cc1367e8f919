/** An object of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of the list at a path below `data`; `data` itself for an empty one. */
export function rowsAt(body: Row, path: string): readonly Row[] | null {
  const names = path === '' ? [] : path.split('.');
  const rows = names.reduce<unknown>((node, name) => (node as Row | undefined)?.[name], body['data']);
  return Array.isArray(rows) ? rows : null;
}
