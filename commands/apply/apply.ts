import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { toDetail } from '@clinic/shared/contracts/parse';
import { type ClinicFile, type FileFault, FileFaults, readClinicFile } from './clinic-file';
import { settingDifferences } from './differences';
import type { SectionPlan } from './section';
import { clinicSections, type SectionDeps } from './sections';

export interface Applied {
  clinicId: string;
  /** Whether it was made so; otherwise it is what would change. */
  isApplied: boolean;
  /** As `voice.maxCallSeconds: 600 → 300`, in the order in which they are made. */
  changes: string[];
  /** What was made and is not shown again, by its name. */
  shownOnce: Record<string, string>;
}

export interface ApplyFile {
  clinicId: string;
  /** As it is named in messages. */
  file: string;
  text: string;
  env: NodeJS.ProcessEnv;
  isDryRun: boolean;
  signal: AbortSignal;
}

/**
 * Makes what a file says of a clinic true: nothing that the file does not name is changed, and nothing is written before the
 * whole file has been understood. Throws `FileFaults` for what cannot be.
 */
export async function applyClinicFile(
  deps: SectionDeps,
  { clinicId, file, text, env, isDryRun, signal }: ApplyFile,
): Promise<Applied> {
  const read = readClinicFile(file, text, env);
  const { clinic: named, ...said } = read.sections;
  const sections = clinicSections(deps);
  const faults: FileFault[] = [];
  const plans: { name: string; plan: SectionPlan; differences: string[] }[] = [];

  if (named !== undefined && named !== clinicId) {
    faults.push({ line: read.lineOf(['clinic']), path: 'clinic', message: `is another one than ${clinicId}` });
  }
  for (const name of Object.keys(said).filter((each) => !Object.hasOwn(sections, each))) {
    const message = `is not a section: ${Object.keys(sections).join(', ')}`;
    faults.push({ line: read.lineOf([name]), path: name, message });
  }
  for (const [name, section] of Object.entries(sections)) {
    if (!Object.hasOwn(said, name)) continue;
    try {
      const plan = await section.plan(clinicId, said[name]);
      plans.push({ name, plan, differences: settingDifferences(plan.before, plan.after, [name]) });
    } catch (error) {
      faults.push(...faultsOf(error, name, read));
    }
  }
  if (faults.length > 0) throw new FileFaults(file, faults);

  const pending = plans.filter(({ differences }) => differences.length > 0);
  const changes = pending.flatMap(({ differences }) => differences);
  const shownOnce: Record<string, string> = {};
  if (!isDryRun) {
    for (const { name, plan } of pending) {
      try {
        const saved = await plan.save({ by: { actor: 'operator' }, signal });
        Object.assign(shownOnce, saved?.shown);
      } catch (error) {
        throw notSaved(error, { name, read, file, shownOnce });
      }
    }
  }
  return { clinicId, isApplied: !isDryRun, changes, shownOnce };
}

/** What a schema or a rule has against a section, at its lines. */
function faultsOf(error: unknown, section: string, read: ClinicFile): FileFault[] {
  const at = (path: readonly PropertyKey[], message: string): FileFault => ({
    line: read.lineOf([section, ...path]),
    path: [section, ...path].join('.'),
    message,
  });
  if (error instanceof z.ZodError) {
    return error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => at([...issue.path, key], 'is not a known field'))
        : [at(issue.path, toDetail(issue).message)],
    );
  }
  if (!(error instanceof AppError)) throw error;
  if (!error.details || error.details.length === 0) return [at([], error.message)];
  return error.details.map(({ path, message }) => at(path === '' ? [] : path.split('.').map(asKey), message));
}

const asKey = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part);

/** Sections before the one that failed are saved, and the secrets that they made must not be lost. */
function notSaved(
  error: unknown,
  { name, read, file, shownOnce }: { name: string; read: ClinicFile; file: string; shownOnce: Record<string, string> },
): unknown {
  if (!(error instanceof AppError)) return error;
  const faults = new FileFaults(file, faultsOf(error, name, read));
  const made =
    Object.keys(shownOnce).length === 0
      ? ''
      : `\nMade before that, and not shown again: ${JSON.stringify(shownOnce, null, 2)}`;
  return new Error(
    `${faults.message}\nSections before ${name} are saved; correct it and run the command again.${made}`,
  );
}
