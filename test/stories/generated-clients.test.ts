import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type App, startApp } from '../support/app';
import { fromPyPi } from '../support/fetched';

/**
 * Clients that the generators of others write from the OpenAPI document, and the programs of docs/generated-clients.md with them. The
 * one in Python needs PyPI: `CLIENTS=all npm test -- generated-clients` plays it too, and writes down with which operations it did;
 * otherwise the document of today must still have these.
 */

const run = promisify(execFile);
const root = join(__dirname, '../..');
const PROVEN = join(__dirname, 'generated-clients.json');
const isAll = process.env.CLIENTS === 'all';
const limit = 300_000;

const guide = readFileSync(join(root, 'docs/generated-clients.md'), 'utf8');
const block = (language: string) => new RegExp(`\n\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';
const versionOf = (tool: string) => new RegExp(`${tool}(?:@|==)([\\d.]+)`).exec(guide)?.[1] ?? '';

let app: App;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
  app = await startApp();
}, 240_000);

afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const clients: [string, () => Promise<string>][] = [
  ['@hey-api/openapi-ts', playTypeScript],
  ...(isAll ? [['openapi-python-client', playPython] as [string, () => Promise<string>]] : []),
];

test.each(clients)(
  'a client that %s writes loads whole, and plays the first hour',
  async (_name, play) => {
    const printed = await play();

    expect(JSON.parse(printed)).toEqual({
      isOneCase: true,
      outcome: 'PRICING_ESCALATION',
      statuses: ['booked', 'booked', 'cancelled'],
      isMoved: true,
      note: true,
      refused: 'appointment_cancelled',
    });
  },
  limit,
);

test('the Python client was proven with the operations that the document has', async () => {
  const { body } = await app.request('GET', '/openapi.json');
  const operations = [...new Set([...block('ts').matchAll(/clinic\.(\w+)\(/g)].map(([, id = '']) => id))];
  const proven = {
    renewedBy: 'CLIENTS=all npm test -- generated-clients',
    generator: `openapi-python-client ${versionOf('openapi-python-client')}`,
    program: hashOf(block('python') + block('yaml')),
    operations: Object.fromEntries(operations.map((id) => [id, hashOf(JSON.stringify(partOf(body, id)))])),
  };
  if (isAll) writeFileSync(PROVEN, `${JSON.stringify(proven, null, 2)}\n`);

  expect(JSON.parse(readFileSync(PROVEN, 'utf8'))).toEqual(proven);
});

async function playTypeScript(): Promise<string> {
  const tool = join(root, 'dashboard/node_modules/@hey-api/openapi-ts');
  const { version } = JSON.parse(readFileSync(join(tool, 'package.json'), 'utf8')) as { version: string };
  expect(versionOf('openapi-ts')).toBe(version);
  await run(process.execPath, [join(tool, 'bin/run.js'), '--input', documentUrl(), '--output', join(folder, 'client')]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'first-hour.ts'), block('ts'));
  const modules = readdirSync(join(folder, 'client'), { recursive: true, encoding: 'utf8' });
  const imports = [...modules.filter((name) => name.endsWith('.ts')).map((name) => `client/${name}`), 'first-hour.ts'];
  const program = join(folder, 'all.ts');
  writeFileSync(program, imports.map((name) => `import './${name.slice(0, -'.ts'.length)}';\n`).join(''));

  const compiler = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
  ];
  const settings = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', '--types', 'node'];
  const types = [
    '--lib',
    'es2022,dom,dom.iterable',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    '--skipLibCheck',
  ];
  const compile = run(process.execPath, [...compiler, ...settings, ...types, program], { cwd: folder });
  const checked = await compile.catch((failed: { stdout: string }) => failed);
  expect(checked.stdout).toBe('');
  return printedBy(process.execPath, ['--import', require.resolve('tsx'), program]);
}

async function playPython(): Promise<string> {
  const path = await fromPyPi('openapi-python-client', versionOf('openapi-python-client'));
  writeFileSync(join(folder, 'config.yaml'), block('yaml'));
  writeFileSync(join(folder, 'first_hour.py'), block('python'));
  const where = ['--url', documentUrl(), '--output-path', join(folder, 'clinic')];
  const asked = ['-m', 'openapi_python_client', 'generate', ...where, '--meta', 'none', '--config', 'config.yaml'];
  const said = await printedBy('python3', asked, { PYTHONPATH: path });
  // Anything more is what it has left out.
  expect(said).toBe(`Generating ${join(folder, 'clinic')}\n`);
  return printedBy('python3', ['-c', loadingAll], { PYTHONPATH: `${path}:${folder}` });
}

const loadingAll = `
import importlib, pkgutil, runpy, clinic
for module in pkgutil.walk_packages(clinic.__path__, "clinic."):
    importlib.import_module(module.name)
runpy.run_path("first_hour.py")
`;

const documentUrl = () => `${app.baseUrl}/openapi.json`;

async function printedBy(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const { clinicId, apiKey, inboundSecrets, email, password } = app.clinic;
  const told = { BASE: app.baseUrl, CLINIC: clinicId, KEY: apiKey, EMAIL: email, PASSWORD: password };
  const secret = { SECRET: inboundSecrets['forms-abandoned'] };
  const { stdout } = await run(command, args, { cwd: folder, env: { ...process.env, ...told, ...secret, ...env } });
  return stdout;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters: unknown;
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

/** What a generator makes an operation of: its path, parameters, body and successful responses, without words for people. */
function partOf(document: Document, wanted: string): unknown {
  for (const [path, members] of Object.entries(document.paths)) {
    for (const [method, { operationId, tags, parameters, requestBody, responses }] of Object.entries(members)) {
      if (operationId !== wanted) continue;
      const good = Object.fromEntries(Object.entries(responses).filter(([status]) => status < '300'));
      return [path, method, tags, bare({ parameters, requestBody, responses: good }, document)];
    }
  }
  throw new Error(`${wanted} is not an operation`);
}

const prose = new Set(['description', 'example', 'examples', 'headers']);

/** With what it refers to in place of the references. */
function bare(value: unknown, document: Document, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => bare(each, document));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) {
    const steps = String(value.$ref).split('/').slice(1);
    const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], document);
    return [value.$ref, bare(found, document)];
  }
  const kept = Object.entries(value).filter(([key]) => isProperties || !prose.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, bare(item, document, key === 'properties')]));
}
