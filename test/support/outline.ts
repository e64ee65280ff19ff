/** As far as the document says it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  [constraint: string]: unknown;
}

type Content = Record<string, { schema?: Schema }>;
interface Response {
  $ref?: string;
  headers?: object;
  content?: Content;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
export interface Operation {
  operationId: string;
  tags: string[];
  security?: object[];
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

/** An operation or event without its words, as `201 application/json: { id: string }` by line. */
export function outlineOf({
  operationId,
  tags,
  security,
  deprecated,
  parameters = [],
  requestBody,
  responses,
}: Operation): string {
  const lines = [
    `${operationId}, ${tags.join(', ')}${security ? `, by ${security.flatMap(Object.keys).join(' or ')}` : ''}${deprecated ? ', deprecated' : ''}`,
    ...parameters.map((each) =>
      each.$ref ? nameOf(each.$ref) : `${each.in} ${each.name}${each.required ? '' : '?'}: ${typeOf(each.schema)}`,
    ),
    ...bodies('body', requestBody),
    ...Object.entries(responses).flatMap(([status, { $ref, headers, content }]) =>
      $ref ? [nameOf($ref)] : [`${status}, ${Object.keys(headers ?? {}).join(', ')}`, ...bodies(status, { content })],
    ),
  ];
  return lines.join('\n');
}

const bodies = (of: string, { content = {} }: { content?: Content } = {}): string[] =>
  Object.entries(content).map(([type, { schema }]) => `${of} ${type}: ${schema ? typeOf(schema) : 'anything'}`);

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ref;

/** No words for people, which may change at any time. */
const prose = new Set(['description', 'title', 'example', 'examples', '$schema']);

/** A JSON Schema as TypeScript would write it, with each of its limits behind. */
export function typeOf(schema: Schema, margin = ''): string {
  const { $ref, const: only, enum: words, anyOf, oneOf, allOf, items, properties, required, type, ...rest } = schema;
  const { additionalProperties: others, ...limits } = rest;
  const either = anyOf ?? oneOf;
  const inside = `${margin}  `;
  const joined = (all: Schema[], by: string) => all.map((each) => typeOf(each, margin)).join(by);
  const shown = () => {
    if ($ref) return nameOf($ref);
    if (only !== undefined) return JSON.stringify(only);
    if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
    if (allOf) return joined(allOf, ' & ');
    if (either) return joined(either, ' | ');
    if (items) return `(${typeOf(items, margin)})[]`;
    if (!properties && typeof others !== 'object') return [type ?? 'anything'].flat().join(' | ');
    const fields = Object.entries(properties ?? {}).map(
      ([name, each]) => `${name}${required?.includes(name) ? '' : '?'}: ${typeOf(each, inside)}`,
    );
    if (others) fields.push(`…: ${typeof others === 'object' ? typeOf(others, inside) : 'anything'}`);
    return `{\n${fields.map((field) => `${inside}${field}\n`).join('')}${margin}}`;
  };
  const said = Object.entries(limits).filter(([key]) => !prose.has(key));
  const behind = said.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(', ');
  return shown() + (behind && ` (${behind})`);
}
