// Writes http/client/ from the OpenAPI document of the service, which needs not run, where what it is made of has changed.
// With --check and an address it writes nothing, and fails where the document of the service there gives another client.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));
const root = dirname(room);
const require = createRequire(import.meta.url);
const folder = join(room, 'http', 'client');
const stamp = join(folder, 'generated-from');
const cache = join(root, 'node_modules', '.cache', 'clinic-workflows', 'openapi.json');

/** Returns whether the client had to be written. */
async function generateClient() {
  const document = forDashboard(serviceDocument());
  const { version } = JSON.parse(readFileSync(join(packageOf('@hey-api/openapi-ts'), 'package.json'), 'utf8'));
  const source = hashOf(version, readFileSync(fileURLToPath(import.meta.url)), JSON.stringify(document));
  if (existsSync(join(folder, 'areas.gen.ts')) && textOf(stamp) === source) return false;

  const fresh = `${folder}-${process.pid}`;
  await write(document, fresh);
  writeFileSync(join(fresh, 'generated-from'), source);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  return true;
}

/** The document is kept until a source that may show in it changes. */
function serviceDocument() {
  const sources = ['api', 'shared', 'sandbox', 'accounts', 'gateways'].flatMap((name) => sourcesIn(join(root, name)));
  const source = hashOf(...sources.map((file) => readFileSync(file)));
  if (existsSync(cache)) {
    const kept = JSON.parse(readFileSync(cache, 'utf8'));
    if (kept.source === source) return kept.document;
  }
  const program = join(root, 'api', 'openapi', 'print-document.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`The OpenAPI document could not be written:\n${stdout}${stderr}`);
  const document = JSON.parse(stdout);
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(cache, JSON.stringify({ source, document }));
  return document;
}

function sourcesIn(path) {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('node_modules'))
    .toSorted()
    .map((name) => join(path, name));
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

const packageOf = (name) => dirname(require.resolve(`${name}/package.json`));

async function write(document, path) {
  const { createClient } = await import('@hey-api/openapi-ts');
  const getFilePath = filesByArea(document);
  await createClient({
    input: document,
    output: { path, clean: true, entryFile: false },
    logs: { level: 'silent', file: false },
    parser: {
      hooks: { symbols: { getFilePath, getExportFromFilePath: (symbol) => getFilePath(symbol) && ['areas'] } },
    },
    plugins: [
      { name: '@hey-api/client-fetch' },
      { name: '@hey-api/typescript', comments: false },
      { name: '@hey-api/sdk', comments: false },
      { name: '@tanstack/react-query', comments: false },
    ],
  });
  // What all areas are made with is not exported by the generator, which expects one file.
  const shared = join(path, '@tanstack', 'react-query.gen.ts');
  writeFileSync(shared, readFileSync(shared, 'utf8').replaceAll(/^const /gm, 'export const '));
}

/** What is asked of an area of the API, in a file of its own: no page loads what only others ask. */
function filesByArea({ paths }) {
  const areas = Object.entries(paths).flatMap(([path, operations]) => {
    const [first, second] = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
    return Object.values(operations).map(({ operationId }) => [operationId, [first, second].filter(Boolean).join('-')]);
  });
  const areaOf = new Map(areas);
  return ({ name, kind }) => {
    const area = areaOf.get(name) ?? areaOf.get(name.replace(/(?:Infinite)?(?:Options|QueryKey)$|Mutation$/, ''));
    return kind === 'var' && area ? `areas/${area}` : undefined;
  };
}

async function check(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} returned ${response.status}`);
  const fresh = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    await write(forDashboard(await response.json()), fresh);
    const different = filesIn(fresh).filter((file) => textOf(join(fresh, file)) !== textOf(join(folder, file)));
    const left = filesIn(folder).filter((file) => textOf(join(fresh, file)) === null);
    if (different.length + left.length === 0) return;
    console.error(`Not what the service's document gives: ${[...different, ...left].join(', ')}`);
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
  const sources = ['http', 'pages', 'parts', 'lists', 'forms', 'shell'].flatMap((name) =>
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [option, address] = process.argv.slice(2);
  if (option === '--check') await check(address);
  else {
    const startedAt = Date.now();
    const isWritten = await generateClient();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    if (isWritten) console.log(`Dashboard's client written from the API's document (${seconds} s).`);
  }
}
