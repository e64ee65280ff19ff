import type { VoicePlatformName } from '@clinic/shared/domain/voice/platforms';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { currencyOf } from '@clinic/shared/currency';
import type { ClosedDays } from '@clinic/shared/domain/calendar/weekly-hours';
import type { Language } from '@clinic/shared/domain/accounts/languages';
import { newId, newShortId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import type { Sql } from '../../sql';
import { type Actor, audit } from './audit';

export interface ClinicRecord {
  id: string;
  name: string;
  timezone: string;
  defaultCountry: string;
  /** ISO 4217; null: that of the country. */
  currency: string | null;
  isSandboxEnabled: boolean;
  voiceProvider: VoicePlatformName;
  language: Language;
  /** Only a demo chooses the simulator by itself. */
  isDemo: boolean;
}

export interface OutboundEndpointRecord {
  /** Null where the clinic has no row for it. */
  id: string | null;
  url: string | null;
  isEnabled: boolean;
  disabledReason: string | null;
  events: string[];
}

/** A policy as it is given; what came later than the rest may be left out. */
export type NewPolicy = Omit<CallingPolicy, Added> & { [Name in Added]?: CallingPolicy[Name] | undefined };
type Added =
  | 'unknownZone'
  | 'simulatorKeepsPatientHours'
  | 'disclosesAutomation'
  | 'booksInOwnCalendar'
  | 'booksFollowUps'
  | 'confirmsBookings';

export const createClinicStores = (database: Database) =>
  bound(database, {
    create,
    find,
    setVoiceProvider,
    countWithoutAccount,
    outboundEndpoint,
    setOutboundEndpoint,
    closedDays,
    setClosedDays,
    language: languageOf,
    setLanguage,
    setCountry,
    policy: policyOf,
    setNumbersPerDay,
    setPolicy,
  });

async function create(
  { prisma }: Database,
  {
    name,
    timezone,
    country,
    isDemo,
    voiceProvider,
    policy,
  }: {
    name: string;
    timezone: string;
    /** ISO 3166. */
    country?: string;
    isDemo: boolean;
    voiceProvider: VoicePlatformName;
    policy: CallingPolicy;
  },
): Promise<string> {
  const id = newShortId('clinic');
  await prisma.clinic.create({
    data: {
      id,
      name,
      timezone,
      defaultCountry: country,
      isDemo,
      voiceProvider,
      simulatorAskedAt: voiceProvider === 'simulator' && !isDemo ? new Date() : null,
      policy: { create: toRow(policy) },
      receivers: { create: { id: newId('endpoint'), isFirst: true, events: defaultOutboundEvents } },
    },
  });
  return id;
}

async function find({ sql }: Database, clinicId: string): Promise<ClinicRecord | null> {
  const [clinic] = await sql<ClinicRecord>`
    select id, name, timezone, default_country as "defaultCountry", currency, sandbox_enabled as "isSandboxEnabled",
      voice_provider as "voiceProvider", language, is_demo as "isDemo"
    from clinics where id = ${clinicId}`;
  return clinic ?? null;
}

/**
 * Whether a clinic's calls go to real phones or are played. To choose the simulator is to ask for it by name; the runs
 * that are open then are marked as simulated.
 */
async function setVoiceProvider(
  { transaction }: Database,
  clinicId: string,
  voiceProvider: VoicePlatformName,
  by?: Actor,
): Promise<void> {
  await transaction((tx) => changeVoiceProvider(tx, { clinicId, voiceProvider, by }));
}

/** How many clinics call real phones and have no account of their own for that. */
async function countWithoutAccount({ sql }: Database, platform: VoicePlatformName): Promise<number> {
  const [found] = await sql<{ count: number }>`
    select count(*)::int as count from clinics c where c.voice_provider = ${platform} and not exists (
      select 1 from voice_settings v where v.clinic_id = c.id and v.credentials is not null)`;
  return found?.count ?? 0;
}

async function outboundEndpoint({ prisma }: Database, clinicId: string): Promise<OutboundEndpointRecord> {
  const found = await prisma.receiver.findFirst({ where: { clinicId, isFirst: true } });
  return {
    id: found?.id ?? null,
    url: found?.url ?? null,
    isEnabled: found?.isEnabled ?? true,
    disabledReason: found?.disabledReason ?? null,
    events: found?.events ?? defaultOutboundEvents,
  };
}

/** Registers where events are sent; enabling it again clears what disabled it. */
async function setOutboundEndpoint(
  { transaction }: Database,
  clinicId: string,
  { url, isEnabled, events }: { url: string | null; isEnabled: boolean; events: string[] },
  by?: Actor,
): Promise<void> {
  await transaction(async (tx) => {
    await tx`
      insert into receivers as r (id, clinic_id, is_first, url, is_enabled, events)
      values (${newId('endpoint')}, ${clinicId}, true, ${url}, ${isEnabled}, ${events})
      on conflict (clinic_id) where is_first do update set url = excluded.url, is_enabled = excluded.is_enabled,
        events = excluded.events, disabled_reason = null, updated_at = now(),
        failures = case when r.url = excluded.url then r.failures else 0 end,
        failing_since = case when r.url = excluded.url then r.failing_since end,
        gone_since = null,
        paused_until = case when r.url = excluded.url then r.paused_until end,
        next_look_at = case when r.url = excluded.url then r.next_look_at end`;
    const detail = { host: url && new URL(url).host, enabled: isEnabled, events };
    await audit(tx, by, { clinicId, action: 'outbound.change', detail });
  });
}

/** The days on which the whole clinic is closed, from the first to the last. */
async function closedDays({ sql }: Database, clinicId: string): Promise<ClosedDays> {
  const [found] = await sql<{ days: ClosedDays }>`select closed_days as days from clinics where id = ${clinicId}`;
  return Object.fromEntries(Object.entries(found?.days ?? {}).toSorted(([one], [other]) => one.localeCompare(other)));
}

/** Makes these the days on which nobody can be booked. What is booked on them stays. */
async function setClosedDays({ transaction }: Database, clinicId: string, days: ClosedDays, by?: Actor): Promise<void> {
  await transaction(async (tx) => {
    await tx`update clinics set closed_days = ${JSON.stringify(days)}::jsonb where id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'closed-days.change', detail: { dates: Object.keys(days) } });
  });
}

/** The language of its dashboard. */
async function languageOf({ sql }: Database, clinicId: string): Promise<Language> {
  const [found] = await sql<{ language: Language }>`select language from clinics where id = ${clinicId}`;
  return found?.language ?? 'en';
}

async function setLanguage({ transaction }: Database, clinicId: string, language: Language, by?: Actor): Promise<void> {
  await transaction(async (tx) => {
    await tx`update clinics set language = ${language} where id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'language.change', detail: { language } });
  });
}

/**
 * How numbers and dates are read from now on that name no country; what is on file stays. ISO 3166. Where results are in the
 * currency of the country, what a dollar cost in the one before says nothing of the new one.
 */
async function setCountry({ transaction }: Database, clinicId: string, country: string, by?: Actor): Promise<void> {
  await transaction(async (tx) => {
    const [before] = await tx<{ country: string }>`
      select default_country as country from clinics where id = ${clinicId} for update`;
    const isSameMoney = before !== undefined && currencyOf(before.country) === currencyOf(country);
    await tx`
      update clinics set default_country = ${country}, usd_rate = case when currency is not null or ${isSameMoney} then usd_rate end
      where id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'country.change', detail: { country } });
  });
}

async function policyOf({ prisma }: Database, clinicId: string): Promise<CallingPolicy> {
  const { callingHours, ...row } = await prisma.callingPolicy.findUniqueOrThrow({
    where: { clinicId },
    omit: { clinicId: true, toldUpTo: true },
  });
  return {
    ...row,
    callingHours: callingHours as CallingPolicy['callingHours'],
    unknownZone: row.unknownZone as CallingPolicy['unknownZone'],
  };
}

/** How many different numbers the clinic may call on a day of its calendar, 0 for none. False for an unknown clinic. */
const setNumbersPerDay = (
  { transaction }: Database,
  clinicId: string,
  numbersPerDay: number,
  by?: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [changed] =
      await tx`update clinics set numbers_per_day = ${numbersPerDay} where id = ${clinicId} returning id`;
    if (changed) await audit(tx, by, { clinicId, action: 'numbers-per-day.change', detail: { numbersPerDay } });
    return changed !== undefined;
  });

/** What is left out of a policy stays as it is. */
async function setPolicy({ transaction }: Database, clinicId: string, policy: NewPolicy, by?: Actor): Promise<void> {
  await transaction(async (tx) => {
    const { callingHours, ...numbers } = policy;
    const [before] = await tx<{ disclosed: boolean }>`
      select discloses_automation as disclosed from calling_policies where clinic_id = ${clinicId} for update`;
    await tx`
      update calling_policies set first_call_delay_seconds = ${numbers.firstCallDelaySeconds},
        max_attempts = ${numbers.maxAttempts}, seconds_between_attempts = ${numbers.secondsBetweenAttempts},
        calling_hours = ${JSON.stringify(callingHours)}::jsonb, max_concurrent_calls = ${numbers.maxConcurrentCalls},
        calls_per_patient_per_day = ${numbers.callsPerPatientPerDay},
        calls_per_patient_per_week = ${numbers.callsPerPatientPerWeek},
        unknown_zone = coalesce(${policy.unknownZone ?? null}, unknown_zone),
        simulator_keeps_patient_hours = coalesce(${policy.simulatorKeepsPatientHours ?? null}, simulator_keeps_patient_hours),
        discloses_automation = coalesce(${policy.disclosesAutomation ?? null}, discloses_automation),
        books_in_own_calendar = coalesce(${policy.booksInOwnCalendar ?? null}, books_in_own_calendar),
        books_follow_ups = coalesce(${policy.booksFollowUps ?? null}, books_follow_ups),
        confirms_bookings = coalesce(${policy.confirmsBookings ?? null}, confirms_bookings)
      where clinic_id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'recovery-policy.change', detail: { ...policy } });
    // Anyone who asks later why patients were not told finds it under a name of its own.
    const discloses = policy.disclosesAutomation ?? before?.disclosed;
    if (discloses !== before?.disclosed) {
      await audit(tx, by, { clinicId, action: discloses ? 'disclosure.on' : 'disclosure.off' });
    }
  });
}

/** Moves a clinic to real phones, which ends its sandbox unless it is a demo, or to the simulator, which marks the runs that are open then. */
export async function changeVoiceProvider(
  tx: Sql,
  { clinicId, voiceProvider, by }: { clinicId: string; voiceProvider: VoicePlatformName; by?: Actor },
): Promise<void> {
  const isSimulated = voiceProvider === 'simulator';
  const ended = await tx`
    update clinics set sandbox_enabled = false
    where id = ${clinicId} and sandbox_enabled and not is_demo and not ${isSimulated}::boolean returning id`;
  await tx`
    update clinics set voice_provider = ${voiceProvider},
      simulator_asked_at = case when ${isSimulated}::boolean and not is_demo then now() end
    where id = ${clinicId}`;
  if (isSimulated) {
    await tx`update workflow_runs set is_simulated = true where clinic_id = ${clinicId} and status = 'started'`;
  }
  await audit(tx, by, { clinicId, action: 'voice-provider.change', detail: { voiceProvider } });
  if (ended.length > 0) await audit(tx, by, { clinicId, action: 'sandbox.disable' });
}

const toRow = ({ callingHours, ...policy }: CallingPolicy) => ({
  ...policy,
  callingHours: callingHours as Prisma.InputJsonObject,
});
