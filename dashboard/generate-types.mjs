// Writes http/schema.d.ts from the service's OpenAPI document: `npm run api-types -w @clinic/dashboard -- [address or file]`.
// With --check it writes nothing and fails when the file is not what the document gives.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

const file = join(dirname(fileURLToPath(import.meta.url)), 'http', 'schema.d.ts');
const isCheck = process.argv.includes('--check');
const source = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const document = await read(source ?? 'http://localhost:3000/api/openapi.json');
const notice = '// Written by generate-types.mjs from the service’s OpenAPI document. Do not edit.\n\n';
const text = await format(`${notice}${astToString(await openapiTypescript(document, { alphabetize: true }))}`, {
  ...(await resolveConfig(file)),
  filepath: file,
});
if (!isCheck) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('dashboard/http/schema.d.ts is older than the service: npm run api-types -w @clinic/dashboard');
  process.exitCode = 1;
}

async function read(from) {
  if (!/^https?:/.test(from)) return JSON.parse(readFileSync(from, 'utf8'));
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} answered ${response.status}`);
  return response.json();
}
