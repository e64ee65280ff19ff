import { z } from 'zod';
import { FhirSettings } from './approved-api';

/** What the check of an API found. A problem keeps a FHIR server from being switched on; anything else is good to know. */
export const ApiFinding = z.object({
  path: z.string().describe('The setting that it is about, as `fhir.providers.0.reference`'),
  code: z.enum([
    'no_credentials',
    'unreachable',
    'not_fhir',
    'wrong_version',
    'cannot_do',
    'works_otherwise',
    'unmapped',
    'unknown_there',
    'not_offered',
    'no_schedule',
    'no_free_time',
    'counts_differ',
    'not_here',
    'not_tried',
    'found',
  ]),
  message: z.string(),
  isProblem: z.boolean(),
});
export type ApiFinding = z.infer<typeof ApiFinding>;

export const ApiCheck = z
  .object({ passed: z.boolean(), findings: z.array(ApiFinding) })
  .meta({ id: 'ApprovedApiCheck' });

/** `POST /api/integrations/approved-api/fill`. */
export const FillMappings = z.strictObject({
  save: z
    .boolean()
    .default(false)
    .describe('Keeps what was found; a server that is on keeps only what passes the check'),
});

const Shown = z.string().describe('As the EHR calls it');
const Referred = z.object({ reference: z.string(), shown: Shown });
const MappingChoices = z.object({
  providers: z.array(Referred),
  visitTypes: z.array(z.object({ system: z.string().optional(), code: z.string(), shown: Shown })),
  locations: z.array(Referred),
});
export type MappingChoices = z.infer<typeof MappingChoices>;

/** `GET /api/integrations/visit-types`. */
export const KnownVisitTypes = z
  .object({
    here: z.array(z.string()).describe('Those of your providers, and those of more than one appointment on record'),
    there: MappingChoices.shape.visitTypes.describe(
      'Those of the EHR, of the most appointments first; empty where no FHIR server is set',
    ),
    findings: z.array(ApiFinding).describe('What of the EHR could not be read'),
  })
  .meta({ id: 'KnownVisitTypes' });

export const FilledMappings = z
  .object({
    isSaved: z.boolean(),
    passed: z.boolean(),
    providers: FhirSettings.shape.providers,
    visitTypes: FhirSettings.shape.visitTypes,
    locations: FhirSettings.shape.locations,
    missing: z
      .object({ providers: z.array(z.string()), visitTypes: z.array(z.string()) })
      .describe('Your names that have no row'),
    choices: MappingChoices.describe('What the EHR has, to choose from where a row is missing: 500 of each at most'),
    findings: z.array(ApiFinding).describe('What the check of these rows says, and what could not be read or decided'),
  })
  .meta({ id: 'FilledMappings' });
export type FilledMappings = z.infer<typeof FilledMappings>;
