import { z } from 'zod';

const Named = z.object({ name: z.string() });

/** What a FHIR server declares of itself, as far as anything here depends on it. */
export const CapabilityStatement = z.object({
  resourceType: z.literal('CapabilityStatement'),
  fhirVersion: z.string(),
  software: z.object({ name: z.string().optional(), version: z.string().optional() }).optional().catch(undefined),
  rest: z
    .array(
      z.object({
        mode: z.string().optional(),
        resource: z
          .array(
            z.object({
              type: z.string(),
              interaction: z.array(z.object({ code: z.string() })).optional(),
              conditionalCreate: z.boolean().optional(),
              searchParam: z.array(Named).optional(),
              operation: z.array(Named).optional(),
            }),
          )
          .optional(),
        operation: z.array(Named).optional(),
        interaction: z
          .array(z.object({ code: z.string() }))
          .optional()
          .catch(undefined),
      }),
    )
    .optional(),
});
export type CapabilityStatement = z.infer<typeof CapabilityStatement>;

/** The types of resource that anything here asks a server for. */
const TYPES = [
  'Appointment',
  'CoverageEligibilityRequest',
  'CoverageEligibilityResponse',
  'DocumentReference',
  'HealthcareService',
  'Location',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Schedule',
  'Slot',
];

/** What is read of a statement, which for all types is a megabyte. */
export const readIn = ({ rest, ...statement }: CapabilityStatement): CapabilityStatement => ({
  ...statement,
  rest: rest?.map(({ resource, ...server }) => ({
    ...server,
    resource: resource?.filter(({ type }) => TYPES.includes(type)),
  })),
});

/** Whether a server takes transactions. */
export const takesTransactions = ({ rest }: CapabilityStatement): boolean =>
  rest?.some(({ interaction = [] }) => interaction.some(({ code }) => code === 'transaction')) ?? false;

/** What a server declares of one type of resource. */
export function declaredOf({ rest }: CapabilityStatement, type: string) {
  const server = rest?.find(({ mode }) => mode === undefined || mode === 'server');
  const found = server?.resource?.find((resource) => resource.type === type);
  const codes = (found?.interaction ?? []).map(({ code }) => code);
  const operations = [...(found?.operation ?? []), ...(server?.operation ?? [])].map(({ name }) =>
    name.replace(/^\$/, ''),
  );
  return {
    /** An interaction, as `update`. */
    can: (code: string) => codes.includes(code),
    /** A server that names none may have them all: not to be held against it. */
    finds: (name: string) => found?.searchParam === undefined || found.searchParam.some((param) => param.name === name),
    hasOperation: (...names: string[]) => operations.some((name) => names.includes(name)),
    createsOnCondition: found?.conditionalCreate === true,
  };
}
