import { hasRealPatients } from '@clinic/shared/domain/patients/real-patients';
import { fullLeniency, type Leniency, leniencyOf, type StoredLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { type SandboxClock, sandboxTime } from '@clinic/shared/domain/sandbox/sandbox-clock';
import type { ChosenFailure } from '@clinic/shared/domain/sandbox/sandbox-failures';
import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import { type ClosedDays, type SpecialDays, withClosedDays } from '@clinic/shared/domain/calendar/weekly-hours';
import { Remembered } from '@clinic/shared/remembered';
import type { Change } from '../../changes';
import type { Database } from '../../client';

/** A provider as bookings need it. `name` is a FHIR id, `displayName` is what is said. */
export interface ProviderRecord {
  id: string;
  name: string;
  displayName: string;
  workingHours: WorkingHours;
  visitTypes: string[];
  specialDays: SpecialDays;
  /** The special days with the clinic's closed days: what search and booking go by. */
  daysInForce: SpecialDays;
  noticeMinutes: number;
  /** The notice with what the sandbox asks for besides: what search and booking go by. */
  noticeInForce: number;
}

/** What decides a clinic's offers besides its bookings. */
export interface Agenda {
  zone: string;
  isSandboxEnabled: boolean;
  /** It has no sandbox then. */
  hasRealPatients: boolean;
  closedDays: ClosedDays;
  /** For how many minutes a live call may hold a time for its caller; 0: not at all. */
  callHoldMinutes: number;
  /** What the sandbox's clock was set to; null while it goes by the real time. */
  clock: SandboxClock | null;
  /** How lenient the sandbox is; the contract's behaviour while it is off. */
  leniency: Leniency;
  /** Failures that wait to be played, the oldest first. */
  failures: ChosenFailure[];
  /** Active ones, by name. */
  providers: ProviderRecord[];
}

export interface Agendas {
  /** The clinic's agenda, or null where there is no such clinic. */
  of(clinicId: string): Promise<Agenda | null>;
  /** The time that the clinic's EMR goes by: its sandbox's clock while the sandbox is on and has one, else the real time. */
  now(clinicId: string): Promise<Date>;
  /** A clinic or its providers changed: what was remembered of them is forgotten. */
  forget(change: Change): void;
}

/** For a process that hears no change notifications, or missed one. */
const KEEP_MS = 10_000;

/** Hours and zones change once a month and are asked for at every search and booking. */
export function createAgendas({ sql }: Pick<Database, 'sql'>): Agendas {
  const held = new Remembered<Agenda | null>(KEEP_MS);

  const load = async (clinicId: string): Promise<Agenda | null> => {
    const [row] = await sql<
      Omit<Agenda, 'providers' | 'leniency' | 'hasRealPatients'> & {
        isDemo: boolean;
        voiceProvider: string;
        stored: StoredLeniency;
        providers: Omit<ProviderRecord, 'daysInForce' | 'noticeInForce'>[];
      }
    >`
      select c.timezone as zone, c.sandbox_enabled as "isSandboxEnabled",
        c.is_demo as "isDemo", c.voice_provider as "voiceProvider", c.closed_days as "closedDays",
        c.sandbox_leniency as stored, c.call_hold_minutes as "callHoldMinutes", k.clock, coalesce(f.failures, '[]'::json) as failures,
        coalesce(p.providers, '[]'::json) as providers
      from clinics c left join lateral (
        select json_build_object('shows', shows, 'runsSince', runs_since) as clock
        from sandbox_clocks where clinic_id = c.id) k on true
      left join lateral (
        select json_agg(json_build_object('id', id, 'failure', failure, 'operation', operation, 'identifier', identifier,
          'parameters', parameters, 'endsAt', ends_at) order by created_at, id) as failures
        from sandbox_failures where clinic_id = c.id and played < times and ends_at > now()) f on true
      left join lateral (
        select json_agg(json_build_object(
          'id', id, 'name', name, 'displayName', display_name, 'workingHours', working_hours, 'visitTypes', visit_types,
          'specialDays', special_days, 'noticeMinutes', notice_minutes
        ) order by name) as providers
        from providers where clinic_id = c.id and is_active) p on true
      where c.id = ${clinicId}`;
    if (!row) return null;
    const { stored, isDemo, voiceProvider, ...rest } = row;
    const { closedDays } = row;
    const leniency = row.isSandboxEnabled ? leniencyOf(stored) : fullLeniency;
    const providers = row.providers.map((provider) => ({
      ...provider,
      daysInForce: withClosedDays(provider.specialDays, closedDays),
      noticeInForce: Math.max(provider.noticeMinutes, leniency.minimumNoticeMinutes),
    }));
    const failures = row.failures.map((failure) => ({ ...failure, endsAt: new Date(failure.endsAt).toISOString() }));
    return { ...rest, hasRealPatients: hasRealPatients({ isDemo, voiceProvider }), leniency, failures, providers };
  };
  const of: Agendas['of'] = (clinicId) => held.get(clinicId, () => load(clinicId));

  return {
    of,

    async now(clinicId) {
      const agenda = await of(clinicId);
      return agenda ? emrTime(agenda) : new Date();
    },

    forget({ table, clinicId, id }) {
      if (table === '*') held.clear();
      if (table === 'clinics') held.forget(id);
      if (clinicId && ofClinic.has(table)) held.forget(clinicId);
    },
  };
}

/** The time that an EMR with this agenda goes by. */
export const emrTime = ({ isSandboxEnabled, clock }: Pick<Agenda, 'isSandboxEnabled' | 'clock'>): Date =>
  sandboxTime(isSandboxEnabled ? clock : null, new Date());

const ofClinic = new Set(['providers', 'sandbox_clocks', 'sandbox_failures']);

/** The provider of exactly this name. */
export function providerNamed(agenda: Agenda, name: string): ProviderRecord | null {
  return agenda.providers.find((provider) => provider.name === name) ?? null;
}

/** The provider somebody speaks of: by name or display name, whatever the case, spaces and full stops. */
export function providerSpokenOf(agenda: Agenda, spoken: string): ProviderRecord | null {
  const exact = providerNamed(agenda, spoken);
  if (exact) return exact;
  const wanted = plain(spoken);
  const found = agenda.providers.filter(({ name, displayName }) => [plain(name), plain(displayName)].includes(wanted));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The provider who is asked for: by exactly this name where it is a FHIR id, else as somebody speaks of them. */
export const providerAsked = (agenda: Agenda, asked: string, isFhirId = false): ProviderRecord | null =>
  isFhirId ? providerNamed(agenda, asked) : providerSpokenOf(agenda, asked);

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\s*doctor\b/, 'dr')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
