import { Command, Option } from 'commander';
import { type ErasureReason, erasureReasons } from '@clinic/shared/domain/patients/erasure';
import { patientBundle } from '@clinic/shared/domain/patients/patient-bundle';
import { type CommandLine, type CommandResult, operator, type Records } from './command-line';

interface OfPatient {
  clinic: string;
  patient: string;
}

const MAX_LISTED = 200;

/** Exports a patient, has one erased, or keeps one from being erased. A worker does the erasing. */
export function patientCommands(line: CommandLine): Command {
  const patient = new Command('patient').description('all that is stored about a patient, and its end');
  const ofOne = (name: string) =>
    patient.command(name).requiredOption('--clinic <id>').requiredOption('--patient <id>');
  ofOne('export')
    .addOption(new Option('--format <format>').choices(['json', 'fhir']).default('json'))
    .action(line.onRecords(exportPatient));
  ofOne('erase')
    .description('has a worker delete all that is stored')
    .addOption(new Option('--reason <reason>').choices(erasureReasons))
    .option('--confirm <id>', 'the id of the patient again')
    .action(line.onRecords(erase));
  patient
    .command('erasures')
    .requiredOption('--clinic <id>')
    .option('--patient <id>')
    .action(
      line.onRecords(async ({ stores }, { clinic, patient: patientId }: Partial<OfPatient> & { clinic: string }) => {
        const { items } = await stores.erasures.list(clinic, { patientId, limit: MAX_LISTED });
        return { shown: { erasures: items } };
      }),
    );
  ofOne('hold')
    .description('refuses to erase until release')
    .requiredOption('--reason <why>', 'why the records must stay')
    .action(line.onRecords(hold));
  ofOne('release').action(line.onRecords(release));
  return patient;
}

const unknown = (patientId: string) => new Error(`The clinic has no patient ${patientId}.`);

async function exportPatient(
  { stores }: Records,
  { clinic, patient, format }: OfPatient & { format: 'json' | 'fhir' },
): Promise<CommandResult> {
  const found = await stores.patientExports.of(clinic, patient, operator);
  if (!found) throw unknown(patient);
  return { shown: format === 'fhir' ? patientBundle(found, 'urn:clinic') : found };
}

async function erase(
  { stores }: Records,
  { clinic: clinicId, patient: patientId, reason, confirm }: OfPatient & { reason?: ErasureReason; confirm?: string },
): Promise<CommandResult> {
  if (reason === undefined) throw new Error(`--reason is one of ${erasureReasons.join(', ')}.`);
  if (confirm !== patientId) throw new Error('--confirm must repeat the id of the patient: what is erased stays so.');
  const requested = await stores.erasures.request({ clinicId, patientId, reason }, operator);
  if (requested.kind === 'unknown') throw unknown(patientId);
  if (requested.kind === 'held') throw new Error(`Patient ${patientId} is under a legal hold: release it first.`);
  return { shown: { erasure: requested.erasure } };
}

async function hold(
  { stores }: Records,
  { clinic: clinicId, patient: patientId, ...options }: OfPatient & { reason: string },
): Promise<CommandResult> {
  const reason = options.reason.trim();
  if (reason === '') throw new Error('--reason is needed: why the records must stay.');
  if (!(await stores.legalHolds.place({ clinicId, patientId, reason }, operator))) throw unknown(patientId);
  return { shown: { clinicId, patientId, isHeld: true } };
}

async function release(
  { stores }: Records,
  { clinic: clinicId, patient: patientId }: OfPatient,
): Promise<CommandResult> {
  if (!(await stores.legalHolds.lift(clinicId, patientId, operator))) {
    throw new Error(`No legal hold is on patient ${patientId}.`);
  }
  return { shown: { clinicId, patientId, isHeld: false } };
}
