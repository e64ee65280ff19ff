import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '@clinic/api/openapi/document';
import type { Schema } from '../../support/outline';

/** What is wrong with what was asked: of something in it, or of the whole. */
export interface Refused {
  path?: string;
  message: string;
  /** 400, unless it is said. */
  status?: number;
}

/**
 * How much is in an answer: rows for each member of a closed set, two, or nothing that may be left out. Mixed, each that may be
 * left out is there in one row and not in the next, each in its own turns, and numbers begin at 0.
 */
export type Fullness = 'many' | 'few' | 'none' | 'mixed';

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** What the service could answer to a request, as its document says. */
export interface Answer {
  status: number;
  /** Undefined where there is none. */
  body?: unknown;
  type: string;
}

/** The time of day at which all of it happens: 9:30 on a Wednesday in New York. */
export const now = Date.parse('2026-11-25T14:30:00Z');

/** As deep stands the list that an answer is about: what is deeper is within its rows. */
const OUTER = 2;
/** Rows of a list: as many as the longest closed set in them has members, within these. */
const [FEWEST_ROWS, MOST_ROWS] = [2, 24];
const MIXED_ROWS = 8;

/**
 * Answers to requests that nobody has thought of: made from the schemas of the service's own document. Rows of a list go through
 * the members of each closed set, and through true and false; no chance is in it.
 */
export function documentedAnswers({ paths, components }: OpenApiDocument) {
  const schemas = components.schemas as Record<string, Schema>;
  const routes = Object.entries(paths)
    .flatMap(([path, members]) =>
      Object.entries(members).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^/api${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        parameters: path.split('{').length - 1,
        operation: operation as unknown as Operation,
      })),
    )
    // A path that is written out goes before one with a parameter in its place.
    .toSorted((one, other) => one.parameters - other.parameters);
  return (
    method: string,
    path: string,
    {
      fullness,
      turn = 0,
      own,
      refused,
    }: { fullness: Fullness; turn?: number; own: Record<string, unknown>; refused: Record<string, Refused> },
  ): Answer | null => {
    const found = routes.find((each) => each.method === method && each.pattern.test(path));
    if (!found) return null;
    const { operationId, responses } = found.operation;
    const wrong = refused[operationId];
    if (wrong) {
      const { path: at, message, status: statusCode = 400 } = wrong;
      const [said, details] = at === undefined ? [message, []] : ['Refused', [{ path: at, message }]];
      const body = { statusCode, message: said, code: 'bad_request', details };
      return { status: statusCode, body, type: 'application/json' };
    }
    const [status = '200', response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
    const [type = '', content] = Object.entries(response?.content ?? {})[0] ?? [];
    const made =
      type.includes('json') && content?.schema ? valuesOf(schemas, fullness)(content.schema, turn) : undefined;
    const ours = own[operationId];
    const given: unknown = typeof ours === 'function' ? ours(path) : ours;
    const body = given === undefined ? made : isPlain(given) && isPlain(made) ? { ...made, ...given } : given;
    return { status: Number(status), body, type };
  };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where in an answer a value stands. */
interface Place {
  name: string;
  /** Of the row in its list. */
  index: number;
  depth: number;
}

function valuesOf(schemas: Record<string, Schema>, fullness: Fullness) {
  const isMixed = fullness === 'mixed';
  const isThere = ({ name, index }: Pick<Place, 'name' | 'index'>) =>
    isMixed ? isInTurn(name, index) : fullness !== 'none';
  const isFull = fullness !== 'none';
  const mostRows = fullness === 'many' ? MOST_ROWS : FEWEST_ROWS;
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? resolved(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

  /** The longest closed set in what a schema describes, not counting what is in lists of its own. */
  const longest = (schema: Schema, depth = 0): number => {
    const { enum: words, anyOf, oneOf, allOf, properties, type } = resolved(schema);
    if (words) return words.length;
    if (depth > 3) return 1;
    if (type === 'boolean') return 2;
    const within = [...(anyOf ?? oneOf ?? allOf ?? []), ...Object.values(properties ?? {})];
    return Math.max(1, (anyOf ?? oneOf)?.length ?? 0, ...within.map((each) => longest(each, depth + 1)));
  };

  const value = (given: Schema, { name, index, depth }: Place): unknown => {
    const schema = resolved(given);
    const {
      const: only,
      enum: words,
      anyOf,
      oneOf,
      allOf,
      items,
      properties,
      required = [],
      additionalProperties,
      propertyNames,
    } = schema;
    const at = (of: string, row = index): Place => ({ name: of, index: row, depth: depth + 1 });
    if (only !== undefined) return only;
    if (words) return words[index % words.length];
    if (allOf) return Object.assign({}, ...allOf.map((each) => value(each, { name, index, depth }))) as unknown;
    const either = anyOf ?? oneOf;
    if (either) {
      const isNull = (each: Schema) => resolved(each).type === 'null';
      if (!isThere({ name, index }) && either.some(isNull)) return null;
      const some = either.filter((each) => !isNull(each));
      return value(some[index % some.length] ?? {}, { name, index, depth });
    }
    if (Array.isArray(schema.type)) {
      if (!isThere({ name, index }) && schema.type.includes('null')) return null;
      return value({ ...schema, type: schema.type.find((each) => each !== 'null') }, { name, index, depth });
    }
    if (schema.type === 'array') {
      const { minItems = 0, maxItems = MOST_ROWS } = schema as { minItems?: number; maxItems?: number };
      // Lists within rows go on through a set where the row before has ended.
      const isWithin = depth > OUTER;
      const set = resolved(items ?? {}).enum;
      if (set && isMixed && isWithin) return set.filter((word) => isInTurn(String(word), index));
      if (set && isFull) return set;
      const rows = isMixed ? MIXED_ROWS : Math.max(FEWEST_ROWS, Math.min(mostRows, longest(items ?? {})));
      const most = isWithin ? Number(isThere({ name, index })) : rows;
      const count = Math.max(minItems, Math.min(maxItems, isFull && depth < 7 ? most : 0));
      return Array.from({ length: count }, (_, row) =>
        value(items ?? {}, at(name, isWithin ? index + row : row + MIXED_ROWS * index)),
      );
    }
    if (properties ?? schema.type === 'object') {
      const fields = Object.entries(properties ?? {}).filter(
        ([field]) => required.includes(field) || (depth < 8 && isThere({ name: field, index })),
      );
      const made = Object.fromEntries(fields.map(([field, each]) => [field, value(each, at(field))]));
      if (properties || typeof additionalProperties !== 'object' || !isFull) return made;
      const { enum: keys = ['first', 'second'] } = resolved((propertyNames ?? {}) as Schema);
      return Object.fromEntries(
        keys.map((key, place) => [String(key), value(additionalProperties, at(String(key), place))]),
      );
    }
    if (schema.type === 'boolean' && isMixed) return isInTurn(`${name}?`, index);
    if (schema.type === 'boolean') return isFull && (index + (fullness === 'many' ? name.length : 0)) % 2 === 0;
    if (schema.type === 'integer' || schema.type === 'number')
      return number(schema, isMixed ? (index + name.length) % 3 : index + 2 + (name.length % 5));
    if (schema.type === 'string') return text(schema, { name, index });
    return null;
  };
  return (schema: Schema, turn: number) => value(schema, { name: '', index: turn, depth: 0 });
}

/** In one of two rows, in an order of its own: of any two names each is seen without the other, with it, and neither. */
function isInTurn(name: string, index: number): boolean {
  const order = createHash('sha256').update(name).digest().readUInt32BE();
  return (((order >> ((index >> 1) % 32)) ^ index) & 1) === 1;
}

function number(schema: Schema, wanted: number): number {
  const {
    minimum = 0,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
  } = schema as Record<string, number | undefined>;
  return Math.min(Math.max(wanted, minimum, exclusiveMinimum + 1), maximum);
}

/** What is of a form that only its name tells. */
const named: [RegExp, (index: number) => string][] = [
  [/phone|^number$/i, (index) => `+1303555014${index % 10}`],
  [/^(?:from|opens|fromTime)$/, (index) => `0${8 + (index % 2)}:30`],
  [/^(?:until|closes|untilTime|dueTime)$/, (index) => `1${6 + (index % 3)}:00`],
  [/timezone/i, () => 'America/New_York'],
  [/^currency$/, () => 'USD'],
  [/^nextCursor$/, () => 'cursor-2'],
  [/Url$/, (index) => `https://example.com/${index + 1}`],
];

function text(schema: Schema, { name, index }: { name: string; index: number }): string {
  const { format, pattern, minLength = 0 } = schema as { format?: string; pattern?: string; minLength?: number };
  const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
  if (format === 'date-time') return hoursAgo(3 * index + 1 - (/(?:until|due|next|ends|expires)/i.test(name) ? 30 : 0));
  if (/birth/i.test(name)) return `19${70 + index}-03-05`;
  if (format === 'date' || /(?:On|^date|^day)$/.test(name)) return hoursAgo(24 * index).slice(0, 10);
  if (format === 'time') return `0${8 + (index % 2)}:30`;
  if (format === 'uri') return `https://example.com/${name}/${index + 1}`;
  if (format === 'email') return `${name}${index + 1}@example.com`;
  const known = named.find(([is]) => is.test(name));
  if (known) return known[1](index);
  if (pattern?.includes(':')) return `${String(8 + index).padStart(2, '0')}:30`;
  if (pattern?.includes(String.raw`\d{4}-\d`)) return hoursAgo(24 * index).slice(0, 10);
  return `${name} ${index + 1}`.padEnd(minLength, '.');
}
