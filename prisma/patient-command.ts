import { erasureReasons } from '@clinic/shared/domain/erasure';
import { patientBundle } from '@clinic/shared/domain/patient-bundle';
import { createStores, type Stores } from './stores';
import type { ErasureRecord } from './stores/erasures';
import type { SeedDeps } from './seed';

export const patientUsage = `  npm run clinic -- patient export --clinic <id> --patient <id> [--format json|fhir]
  npm run clinic -- patient erase --clinic <id> --patient <id> --reason ${erasureReasons.join('|')} --confirm <patient id>
  npm run clinic -- patient erasures --clinic <id> [--patient <id>]
  npm run clinic -- patient hold --clinic <id> --patient <id> --reason <why>
  npm run clinic -- patient release --clinic <id> --patient <id>`;

export type PatientCommandResult =
  | { exported: object }
  | { erasure: ErasureRecord }
  | { erasures: ErasureRecord[] }
  | { clinicId: string; patientId: string; isHeld: boolean };

interface PatientOptions {
  clinic?: string;
  patient?: string;
  format?: string;
  reason?: string;
  confirm?: string;
}

const operator = { actor: 'operator' };
const MAX_LISTED = 200;

/** Exports a patient, has one erased, or keeps one from being erased, for an operator. A worker does the erasing. */
export async function runPatientCommand(
  command: string | undefined,
  { clinic: clinicId, patient: patientId, ...options }: PatientOptions,
  deps: Pick<SeedDeps, 'database' | 'secretKeys'>,
): Promise<PatientCommandResult> {
  const stores = createStores(deps.database, deps.secretKeys);
  if (!clinicId) throw new Error(patientUsage);
  if (command === 'erasures') {
    const { items } = await stores.erasures.list(clinicId, { patientId, limit: MAX_LISTED });
    return { erasures: items };
  }
  if (!patientId) throw new Error(patientUsage);
  const about = { clinicId, patientId };
  if (command === 'export') return exported(stores, about, options.format ?? 'json');
  if (command === 'erase') return erased(stores, about, options);
  if (command === 'hold') {
    if (!options.reason?.trim()) throw new Error('--reason is needed: why the records must stay.');
    if (!(await stores.legalHolds.place({ ...about, reason: options.reason.trim() }, operator)))
      throw unknown(patientId);
    return { ...about, isHeld: true };
  }
  if (command === 'release') {
    if (!(await stores.legalHolds.lift(clinicId, patientId, operator))) {
      throw new Error(`No legal hold is on patient ${patientId}.`);
    }
    return { ...about, isHeld: false };
  }
  throw new Error(patientUsage);
}

const unknown = (patientId: string) => new Error(`The clinic has no patient ${patientId}.`);

async function exported(
  stores: Stores,
  { clinicId, patientId }: { clinicId: string; patientId: string },
  format: string,
): Promise<PatientCommandResult> {
  if (format !== 'json' && format !== 'fhir') throw new Error(`${format} is not a format: json or fhir.`);
  const found = await stores.patientExports.of(clinicId, patientId, operator);
  if (!found) throw unknown(patientId);
  return { exported: format === 'fhir' ? patientBundle(found, 'urn:clinic') : found };
}

async function erased(
  stores: Stores,
  { clinicId, patientId }: { clinicId: string; patientId: string },
  { reason, confirm }: PatientOptions,
): Promise<PatientCommandResult> {
  const chosen = erasureReasons.find((each) => each === reason);
  if (chosen === undefined) throw new Error(`--reason is one of ${erasureReasons.join(', ')}.`);
  if (confirm !== patientId) throw new Error('--confirm must repeat the id of the patient: what is erased stays so.');
  const requested = await stores.erasures.request({ clinicId, patientId, reason: chosen }, operator);
  if (requested.kind === 'unknown') throw unknown(patientId);
  if (requested.kind === 'held') throw new Error(`Patient ${patientId} is under a legal hold: release it first.`);
  return { erasure: requested.erasure };
}
