import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { indexStructureDefinitionBundle, isDataTypeLoaded, validateResource } from '@medplum/core';
import * as models from '@solarahealth/fhir-r4';

/**
 * Throws for what is not valid FHIR R4: structure and invariants by the specification's own StructureDefinitions
 * (medplum), the form of ids, instants and codes by strict models (Solara), and FHIR's ban on empty values. Of the last
 * only `entry: []` of an empty Bundle is let pass: one of the two deviations that the contract itself asks for. The
 * other, the bare urls of extensions, neither library refuses. With `isStrict` neither of the two is let pass.
 */
export function assertR4(resource: unknown, { isStrict = false }: { isStrict?: boolean } = {}): void {
  // The library is loaded once for many files.
  if (!isDataTypeLoaded('Patient')) indexStructureDefinitionBundle(definitions());
  validateResource(resource);
  for (const each of [resource, ...entriesOf(resource)]) assertModel(each);
  assertNothingEmpty(resource, '', isStrict);
}

/** Every StructureDefinition of R4; r4/pack-definitions.mjs has written them. */
function definitions(): Parameters<typeof indexStructureDefinitionBundle>[0] {
  return JSON.parse(brotliDecompressSync(readFileSync(join(__dirname, 'r4/definitions.json.br'))).toString());
}

function entriesOf(resource: unknown): unknown[] {
  const { entry = [] } = resource as { entry?: { resource: unknown; fullUrl: string }[] };
  for (const { fullUrl } of entry) {
    if (!URL.canParse(fullUrl)) throw new Error(`fullUrl ${fullUrl} is not absolute`);
  }
  return entry.map((each) => each.resource);
}

function assertModel(resource: unknown): void {
  const { resourceType } = resource as { resourceType: unknown };
  const make = (models as unknown as Record<string, () => { parse(value: unknown): unknown }>)[
    `create${String(resourceType)}Schema`
  ];
  if (!make) throw new Error(`${String(resourceType)} is not an R4 resource`);
  make().parse(resource);
}

function assertNothingEmpty(value: unknown, path: string, isStrict: boolean): void {
  if (value === null || value === '') throw new Error(`${path} is empty`);
  if (typeof value !== 'object') return;
  const { url } = value as { url?: unknown };
  if (isStrict && /\.extension\.\d+$/.test(path) && !URL.canParse(String(url)))
    throw new Error(`${path}.url is not absolute`);
  const entries = Object.entries(value);
  if (entries.length === 0 && (isStrict || path !== '.entry')) throw new Error(`${path} is empty`);
  for (const [name, entry] of entries) assertNothingEmpty(entry, `${path}.${name}`, isStrict);
}
