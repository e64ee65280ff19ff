import type { ValidationRun, ValidationRunSummary } from '@clinic/shared/contracts/sandbox/validation-runs';
import { derivedId } from '@clinic/shared/crypto';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { type Exchange, operations } from '@clinic/shared/domain/sandbox/exchange';
import { fullLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { behaviours, judgeRun, scoreOf } from '@clinic/shared/domain/sandbox/readiness/behaviours';
import type { RunContext } from '@clinic/shared/domain/sandbox/readiness/judging';
import { Remembered } from '@clinic/shared/remembered';
import type { Stores } from '@clinic/prisma/stores';
import {
  MAX_EXCHANGES,
  type RunFinding,
  type ValidationRunRecord,
} from '@clinic/prisma/stores/sandbox/validation-runs';

const DAYS_AHEAD = 400;
const JUDGED_MS = 10_000;
const CHANGES_KNOWN_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

export interface RunReports {
  /** What a run found, or has found so far. */
  of(run: ValidationRunRecord): Promise<ValidationRun>;
  /** Judges a run and ends it; nothing where it has ended before. */
  end(
    ended: { clinicId: string; runId: string; endedAt: Date },
    by?: Parameters<Stores['validationRuns']['end']>[1],
  ): Promise<void>;
}

export function createRunReports({ stores }: { stores: Pick<Stores, 'agendas' | 'validationRuns'> }): RunReports {
  const changes = new Remembered<ClockChanges>(CHANGES_KNOWN_MS);
  /** Looking through more than a year of days takes some milliseconds. */
  const changesOf = (date: string, zone: string) =>
    changes.get(`${date} ${zone}`, async () => clockChanges(date, zone));

  const contextOf = async ({
    clinicId,
    id,
    startedAt,
  }: Pick<ValidationRunRecord, 'clinicId' | 'id' | 'startedAt'>): Promise<RunContext> => {
    const { zone = 'UTC', leniency = fullLeniency } = (await stores.agendas.of(clinicId)) ?? {};
    return {
      zone,
      leniency,
      foreign: {
        appointment: derivedId('validation-run', id, 'appointment'),
        patient: derivedId('validation-run', id, 'patient'),
      },
      ...(await changesOf(localDate(startedAt.toISOString(), zone), zone)),
    };
  };

  /** Anyone who looks again before anything has happened is shown the same. */
  const judged = new Remembered<Record<string, RunFinding>>(JUDGED_MS);

  const judge = async (run: Pick<ValidationRunRecord, 'clinicId' | 'id'>, context: RunContext) => {
    const exchanges = await stores.validationRuns.exchangesOf(run.clinicId, run.id);
    return Object.fromEntries(
      judgeRun(exchanges, context).map(({ behaviour, finding }): [string, RunFinding] => {
        const shown = finding.verdict === 'not_seen' ? undefined : exchanges[finding.number - 1];
        return [behaviour.id, shown ? { ...finding, shownBy: shownBy(shown) } : finding];
      }),
    );
  };

  return {
    async of(run) {
      const context = await contextOf(run);
      const findings = run.findings ?? (await judged.get(`${run.id} ${run.exchanges}`, () => judge(run, context)));
      const shown = behaviours.flatMap(({ id, area, title, howToCause }) => {
        const finding = findings[id];
        return finding ? [{ id, area, title, howToCause, ...toView(finding) }] : [];
      });
      return {
        ...toSummary(run),
        score: scoreOf(shown),
        isFull: run.exchanges >= MAX_EXCHANGES,
        foreign: {
          appointmentReference: `Appointment/${context.foreign.appointment}`,
          patientReference: `Patient/${context.foreign.patient}`,
        },
        clockChanges: { forward: context.forward, back: context.back },
        behaviours: shown,
      };
    },

    async end({ clinicId, runId, endedAt }, by) {
      const run = await stores.validationRuns.find(clinicId, runId);
      if (!run || run.endedAt) return;
      const findings = await judge(run, await contextOf(run));
      await stores.validationRuns.end({ clinicId, runId, endedAt, findings }, by);
    },
  };
}

export function toSummary(run: ValidationRunRecord): ValidationRunSummary {
  return {
    id: run.id,
    label: run.label,
    state: run.endedAt === null ? 'running' : 'ended',
    startedAt: run.startedAt.toISOString(),
    endsAt: run.endsAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
    exchanges: run.exchanges,
    score: run.findings && scoreOf(Object.values(run.findings)),
  };
}

function toView(finding: RunFinding) {
  const { shownBy: shown } = finding;
  return {
    verdict: finding.verdict,
    why: finding.verdict === 'failed' ? finding.why : null,
    shownBy:
      finding.verdict === 'not_seen' || !shown
        ? null
        : { number: finding.number, ...shown, request: operations[shown.operation] },
  };
}

const shownBy = ({ at, operation, status }: Exchange) => ({ at, operation, status });

type ClockChanges = Pick<RunContext, 'forward' | 'back'>;

/** The midnight after the next change of the clocks in each direction, from a date on. */
function clockChanges(date: string, zone: string): ClockChanges {
  const found: ClockChanges = { forward: null, back: null };
  let start = startOfDate(date, zone);
  for (let days = 1; days <= DAYS_AHEAD && (found.forward === null || found.back === null); days += 1) {
    const end = startOfDate(plusDays(date, days), zone);
    const lengthMs = Date.parse(end) - Date.parse(start);
    if (lengthMs < DAY_MS) found.forward ??= end;
    if (lengthMs > DAY_MS) found.back ??= end;
    start = end;
  }
  return found;
}
