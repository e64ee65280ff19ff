// Writes http/client/ from the service's OpenAPI document: `npm run api-types -w @clinic/dashboard -- [address or file]`.
// With --check it writes nothing, and fails where http/client/ is not what the document gives now.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';

const room = dirname(fileURLToPath(import.meta.url));
const folder = join(room, 'http', 'client');
const isCheck = process.argv.includes('--check');
const source = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const document = forDashboard(await read(source ?? 'http://localhost:3000/api/openapi.json'));

if (isCheck) await check();
else await write(folder);

async function write(path) {
  await createClient({
    input: document,
    output: { path, clean: true, entryFile: false },
    logs: { level: 'silent', file: false },
    plugins: [
      { name: '@hey-api/client-fetch' },
      { name: '@hey-api/typescript', comments: false },
      { name: '@hey-api/sdk', comments: false },
      { name: '@tanstack/react-query', comments: false },
    ],
  });
}

async function check() {
  const fresh = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    await write(fresh);
    const different = filesIn(fresh).filter((file) => textOf(join(fresh, file)) !== textOf(join(folder, file)));
    const left = filesIn(folder).filter((file) => textOf(join(fresh, file)) === null);
    if (different.length + left.length === 0) return;
    console.error(`Not what the service's document gives: ${[...different, ...left].join(', ')}`);
    console.error('Write them anew: npm run api-types -w @clinic/dashboard');
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

function filesIn(path) {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted((one, other) => one.localeCompare(other));
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

async function read(from) {
  if (!/^https?:/.test(from)) return JSON.parse(readFileSync(from, 'utf8'));
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} returned ${response.status}`);
  return response.json();
}

/** Only the operations that the dashboard uses, and of those only what types are made of: no other change matters here. */
function forDashboard({ openapi, info, servers, paths, components }) {
  const words = wordsOfSources();
  const isUsed = ({ operationId }) =>
    ['', 'Options', 'InfiniteOptions', 'Mutation'].some((end) => words.has(`${operationId}${end}`));
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    const used = Object.entries(operations).filter(([, operation]) => isUsed(operation));
    return used.length === 0
      ? []
      : [[path, Object.fromEntries(used.map(([method, operation]) => [method, withOneError(operation)]))]];
  });
  return sorted(withUsedSchemas({ openapi, info, servers, paths: Object.fromEntries(kept), components }, words));
}

/** Every error has one shape, which 400 stands for. */
function withOneError({ responses, ...operation }) {
  const kept = Object.entries(responses).filter(([status]) => status < 300 || status === '400');
  return {
    ...operation,
    responses: Object.fromEntries(kept.map(([status, { headers: _unused, ...response }]) => [status, response])),
  };
}

function wordsOfSources() {
  const sources = ['http', 'pages', 'parts', 'shell'].flatMap((name) =>
    readdirSync(join(room, name), { recursive: true })
      .filter((found) => /\.tsx?$/.test(found) && !found.startsWith('client'))
      .map((found) => readFileSync(join(room, name, found), 'utf8')),
  );
  return new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));
}

function withUsedSchemas({ components, ...rest }, words) {
  const used = new Set();
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.schemas[name]);
    }
  };
  const { headers: _unused, ...refused } = components.responses[400];
  const shared = { responses: { 400: refused }, parameters: components.parameters };
  visit([rest, shared]);
  const schemas = Object.fromEntries(
    [...used].map((name) => [name, words.has(name) ? components.schemas[name] : asText(components.schemas[name])]),
  );
  return { ...rest, components: { ...shared, schemas } };
}

/** A closed set that no source names is only shown, in its own words: one more word in it changes nothing here. */
function asText({ enum: _unused, ...schema }) {
  return schema;
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
  if (typeof item === 'string') return key === 'description' || key === 'summary';
  return Array.isArray(item) && (key === 'tags' || key === 'security' || key === 'examples');
}
