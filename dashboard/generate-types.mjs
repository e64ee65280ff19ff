// Writes http/schema.d.ts from the service's OpenAPI document: `npm run api-types -w @clinic/dashboard -- [address or file]`.
// With --check it writes nothing and fails when the file was written from another document.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));
const file = join(room, 'http', 'schema.d.ts');
const isCheck = process.argv.includes('--check');
const source = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const shown = forDashboard(await read(source ?? 'http://localhost:3000/api/openapi.json'));
const mark = `// Written by generate-types.mjs from OpenAPI ${createHash('sha256').update(JSON.stringify(shown)).digest('hex')}.\n`;

if (!isCheck) await write();
else if (!readFileSync(file, 'utf8').startsWith(mark)) {
  console.error('dashboard/http/schema.d.ts is older than the service: npm run api-types -w @clinic/dashboard');
  process.exitCode = 1;
}

async function write() {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  const { format, resolveConfig } = await import('prettier');
  const text = `${mark}\n${astToString(await openapiTypescript(shown, { alphabetize: true }))}`;
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

async function read(from) {
  if (!/^https?:/.test(from)) return JSON.parse(readFileSync(from, 'utf8'));
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} answered ${response.status}`);
  return response.json();
}

/** Only the routes that the dashboard names, and of those only what types are made of: other changes are none of its business. */
function forDashboard({ openapi, info, paths, components }) {
  const named = namesInSources();
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    if (!named.has(path)) return [];
    return [[path, Object.fromEntries(Object.entries(operations).map(([method, it]) => [method, withoutErrors(it)]))]];
  });
  return sorted(withUsedSchemas({ openapi, info, paths: Object.fromEntries(kept), components }));
}

/** Every error has one shape, which 400 stands for. */
function withoutErrors({ responses, ...operation }) {
  const kept = Object.entries(responses).filter(([status]) => status < 300 || status === '400');
  return {
    ...operation,
    responses: Object.fromEntries(kept.map(([status, { headers: _unused, ...response }]) => [status, response])),
  };
}

function namesInSources() {
  const sources = ['http', 'pages', 'parts', 'shell'].flatMap((name) =>
    readdirSync(join(room, name), { recursive: true })
      .filter((found) => /\.tsx?$/.test(found) && !found.endsWith('.d.ts'))
      .map((found) => readFileSync(join(room, name, found), 'utf8')),
  );
  return new Set(sources.flatMap((text) => [...text.matchAll(/'(\/[\w/{}-]+)'/g)].map(([, name]) => name)));
}

function withUsedSchemas({ components, ...document }) {
  const used = new Set();
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.schemas[name]);
    }
  };
  const { 400: refused } = components.responses;
  const { headers: _unused, ...response } = refused;
  const rest = { responses: { 400: response }, parameters: components.parameters };
  visit([document, rest]);
  const schemas = Object.fromEntries([...used].map((name) => [name, components.schemas[name]]));
  return { ...document, components: { ...rest, schemas } };
}

/** Without words for people, and in an order that does not depend on where a route was written. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, item]) => !isProse(key, item));
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  );
}

/** A field of a schema may be called `description` too; it is an object there. */
function isProse(key, item) {
  if (typeof item === 'string') return key === 'description' || key === 'summary' || key === 'operationId';
  return Array.isArray(item) && (key === 'tags' || key === 'security' || key === 'examples');
}
