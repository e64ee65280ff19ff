import { z } from 'zod';

/** Any resource, as it came. */
export type Resource = Record<string, unknown>;

/** An instant as FHIR writes it, as we do. */
export const Instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

const Bundle = z.object({
  resourceType: z.literal('Bundle'),
  entry: z.array(z.object({ resource: z.unknown() })).optional(),
});
const Parameters = z.object({
  resourceType: z.literal('Parameters'),
  parameter: z.array(z.object({ resource: z.unknown() })),
});

/** The resources of one type that a search or an operation returned, in a Bundle, in Parameters or alone. */
export function resourcesOf(type: string, body: unknown): Resource[] {
  if (isOfType(type, body)) return [body];
  const parameters = Parameters.safeParse(body).data?.parameter.map(({ resource }) => resource) ?? [];
  const entries = Bundle.safeParse(body).data?.entry?.map(({ resource }) => resource) ?? [];
  return [...parameters, ...entries].flatMap((resource) =>
    isOfType(type, resource) ? [resource] : resourcesIn(type, resource),
  );
}

const resourcesIn = (type: string, nested: unknown) =>
  Bundle.safeParse(nested).success ? resourcesOf(type, nested) : [];

const isOfType = (type: string, resource: unknown): resource is Resource =>
  typeof resource === 'object' && resource !== null && (resource as { resourceType?: unknown }).resourceType === type;

/** What stands in an address as one step of its path, whatever an EHR calls an id: it leads nowhere else. */
const isStep = (id: string): boolean => /^[^/\\?#%\s]{1,255}$/.test(id) && !/^\.{1,2}$/.test(id);

const Identified = z.object({ id: z.string().refine(isStep) });

export const idOf = (resource: unknown): string | null => Identified.safeParse(resource).data?.id ?? null;

const Paged = z.object({
  resourceType: z.literal('Bundle'),
  link: z.array(z.object({ relation: z.string(), url: z.string().optional() })),
});

/** The link to the next page of a search; null where this page is the last one. */
export function nextPageOf(body: unknown): { url?: string | undefined } | null {
  return Paged.safeParse(body).data?.link.find(({ relation }) => relation === 'next') ?? null;
}

/** Whether a reference names a resource, as `Practitioner/12`. A server may write it with its own address in front, or a version behind. */
export function isReferenceTo(reference: string | undefined, wanted: string): boolean {
  const plain = reference?.replace(/\/_history\/[^/]+$/, '');
  return plain === wanted || (plain?.endsWith(`/${wanted}`) ?? false);
}

/** A reference to one of some types (`A|B`) as a setting holds it, whatever a server writes in front of it or behind; null for another one. */
export function plainReference(reference: string | undefined, types: string): string | null {
  const plain = new RegExp(`(?:^|/)((?:${types})/[A-Za-z0-9\\-.]{1,64})(?:/_history/[^/]+)?$`);
  return plain.exec(reference ?? '')?.[1] ?? null;
}

/** The id in a reference to a resource of a type, as 12 in `Patient/12`; undefined where it is none. */
export function idReferred(reference: unknown, type: string): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith(`${type}/`)) return undefined;
  const id = reference.slice(type.length + 1);
  return isStep(id) ? id : undefined;
}

const Versioned = z.object({ meta: z.object({ versionId: z.string() }) });

/** What `If-Match` takes for the version that a resource names; null where it names none. */
export function etagIn(resource: unknown): string | null {
  const versionId = Versioned.safeParse(resource).data?.meta.versionId;
  return versionId === undefined ? null : `W/"${versionId}"`;
}

/** The id that `Location` names: `[base]/Patient/12/_history/1` and `Patient/12` name 12. */
export function idInLocation(location: string | null | undefined): string | null {
  const [, id] = /(?:^|\/)[A-Z][A-Za-z]+\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[^/]+)?$/.exec(location ?? '') ?? [];
  return id !== undefined && isStep(id) ? id : null;
}
