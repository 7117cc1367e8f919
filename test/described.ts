import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../src/api/openapi/document.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the document holds
export type Node = any;

/** The description, as its readers use it. */
export type Described = {
  readonly document: Node;
  readonly operations: readonly Node[];
  /** The node itself, references followed. */
  readonly follow: (node: Node) => Node;
  /** Why a value does not keep to a schema of the document; null when it does. */
  readonly problemsOf: (schema: Node, value: unknown) => unknown;
};

export function readDescription(siteUrl: string): Described {
  const document = JSON.parse(JSON.stringify(openApiDocument(siteUrl)));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
  const follow = (node: Node): Node => {
    if (node?.$ref === undefined) return node ?? {};
    return follow(
      node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, name: string) => at?.[name], document),
    );
  };
  return {
    document,
    operations: Object.values(document.paths).flatMap((path: Node) => Object.values(path)),
    follow,
    problemsOf(schema, value) {
      const inside = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components');
      const validate = ajv.compile(JSON.parse(inside));
      return validate(value) ? null : validate.errors;
    },
  };
}
