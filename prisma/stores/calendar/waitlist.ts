import { newId } from '@clinic/shared/crypto';
import type { OfferStatus, WaitlistStatus } from '@clinic/shared/domain/calendar/waitlist';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Prisma } from '../../generated/client';
import { type Agendas, providerAsked } from './agendas';
import { type Cursors, inDirection, type PageOf } from '../cursor';
import { closeOffer, lockTurns } from './waitlist-offers';

/** Somebody who waits for a time that becomes free, or did. Dates and times of day are those of the clinic's clock. */
export interface WaitlistRecord {
  id: string;
  clinicId: string;
  patientId: string;
  patientName: string;
  phone: string | null;
  /** Null for any provider. */
  providerName: string | null;
  visitType: string;
  earliestOn: string;
  latestOn: string;
  fromTime: string | null;
  untilTime: string | null;
  status: WaitlistStatus;
  /** The time that is held for them while they are called, or that they took; null for none. */
  offeredAt: Date | null;
  appointmentId: string | null;
  /** The last ones, the newest first. */
  offers: { providerDisplayName: string; startsAt: Date; status: OfferStatus; offeredAt: Date }[];
  createdAt: Date;
  endedAt: Date | null;
}

export type Adding =
  | { kind: 'added'; entry: WaitlistRecord }
  | { kind: 'unknown_patient' }
  | { kind: 'unknown_provider' }
  | { kind: 'too_many' };

export interface WaitlistFilter {
  patientId?: string;
  /** The open ones alone: `waiting` and `offered`. */
  isOpen?: boolean;
  status?: WaitlistStatus;
  limit: number;
  cursor?: string;
}

/** So many open entries a patient has. */
const MAX_OF_PATIENT = 10;

interface Context {
  database: Database;
  cursors: Cursors;
  agendas: Agendas;
}

/** The list itself; whose turn it is and what came of it is in `waitlist-offers`. */
export const createWaitlistStores = (database: Database, cursors: Cursors, agendas: Agendas) =>
  bound({ database, cursors, agendas }, { find, add, list, remove });

async function find(
  { database: { prisma } }: Context,
  clinicId: string,
  entryId: string,
): Promise<WaitlistRecord | null> {
  const row = await prisma.waitlistEntry.findFirst({ where: { clinicId, id: entryId }, include: shown });
  return row && toRecord(row, await namesOf(prisma, clinicId));
}

/** Puts a patient on the list. Anyone who waits for the same already keeps their place, and is returned. */
async function add(
  context: Context,
  {
    clinicId,
    entryId = newId(),
    patientId: named,
    provider: wanted,
    isFhirId,
    visitType,
    earliestOn,
    latestOn,
    fromTime,
    untilTime,
  }: {
    clinicId: string;
    entryId?: string;
    patientId: string;
    provider: string | null;
    /** Whether `provider` is a FHIR id, and no display name. */
    isFhirId?: boolean;
    visitType: string;
    earliestOn: string;
    latestOn: string;
    fromTime: string | null;
    untilTime: string | null;
  },
  by: string,
): Promise<Adding> {
  const { database, agendas } = context;
  const { transaction } = database;
  const agenda = await agendas.of(clinicId);
  const provider = agenda && wanted !== null ? providerAsked(agenda, wanted, isFhirId) : null;
  if (!agenda || (wanted !== null && !provider)) return { kind: 'unknown_provider' };
  const providerId = provider?.id ?? null;
  const added = await transaction(async (tx) => {
    const [asked] = await tx<{ patientId: string }>`
      select coalesce(replaced_by, id) as "patientId" from patients
      where clinic_id = ${clinicId} and id = ${named} for no key update`;
    if (!asked) return 'unknown_patient' as const;
    const { patientId } = asked;
    const [open] = await tx<{ count: number; same: string | null }>`
      select count(*)::int as count, min(id) filter (where visit_type = ${visitType} and earliest_on = ${earliestOn}
        and latest_on = ${latestOn} and provider_id is not distinct from ${providerId}::text
        and from_time is not distinct from ${fromTime}::text and until_time is not distinct from ${untilTime}::text) as same
      from waitlist_entries
      where clinic_id = ${clinicId} and patient_id = ${patientId} and status in ('waiting', 'offered')`;
    if (open?.same) return { id: open.same };
    if ((open?.count ?? 0) >= MAX_OF_PATIENT) return 'too_many' as const;
    await tx`
      insert into waitlist_entries (id, clinic_id, patient_id, provider_id, visit_type, earliest_on, latest_on, from_time,
        until_time, added_by)
      values (${entryId}, ${clinicId}, ${patientId}, ${providerId}, ${visitType}, ${earliestOn}, ${latestOn}, ${fromTime},
        ${untilTime}, ${by})
      on conflict (id) do nothing`;
    return { id: entryId };
  });
  if (typeof added === 'string') return { kind: added };
  const entry = await find(context, clinicId, added.id);
  return entry ? { kind: 'added', entry } : { kind: 'unknown_patient' };
}

/** First come first where it is of the open ones alone, else the newest first. */
async function list(
  { database: { prisma }, cursors }: Context,
  clinicId: string,
  { patientId, isOpen = false, status, limit, cursor }: WaitlistFilter,
): Promise<PageOf<WaitlistRecord>> {
  const { after, by } = inDirection('createdAt', isOpen ? 'asc' : 'desc', cursors.decode(cursor, clinicId));
  const rows = await prisma.waitlistEntry.findMany({
    where: {
      clinicId,
      patientId,
      AND: [{ status }, isOpen ? { status: { in: ['waiting', 'offered'] } } : {}],
      ...after,
    },
    orderBy: by,
    take: limit + 1,
    include: shown,
  });
  const names = await namesOf(prisma, clinicId);
  const records = rows.map((row) => toRecord(row, names));
  return cursors.page(clinicId, records, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** Takes somebody off the list; what is offered to them is free again. Null where there is no such entry. */
async function remove(context: Context, clinicId: string, entryId: string): Promise<WaitlistRecord | null> {
  const { transaction } = context.database;
  await transaction(async (tx) => {
    // In turn with offers: one that is just being made is seen, and withdrawn.
    await lockTurns(tx, clinicId);
    const [offer] = await tx<{ workflowId: string }>`
      select workflow_id as "workflowId" from waitlist_offers
      where clinic_id = ${clinicId} and entry_id = ${entryId} and status = 'open'`;
    if (offer) await closeOffer(tx, { clinicId, workflowId: offer.workflowId, as: 'withdrawn', isTold: true });
    await tx`
      update waitlist_entries set status = 'removed', ended_at = now()
      where clinic_id = ${clinicId} and id = ${entryId} and status in ('waiting', 'offered')`;
  });
  return find(context, clinicId, entryId);
}

const shown = {
  patient: { select: { firstName: true, lastName: true, phone: true } },
  provider: { select: { name: true } },
  offers: {
    orderBy: [{ offeredAt: 'desc' }, { id: 'desc' }],
    select: { startsAt: true, appointmentId: true, status: true, offeredAt: true, providerId: true },
    take: 5,
  },
} satisfies Prisma.WaitlistEntryInclude;

/** What the providers are called, those who have left too. */
async function namesOf(prisma: Database['prisma'], clinicId: string): Promise<Map<string, string>> {
  const rows = await prisma.provider.findMany({ where: { clinicId }, select: { id: true, displayName: true } });
  return new Map(rows.map(({ id, displayName }) => [id, displayName]));
}

function toRecord(
  {
    patient: { firstName, lastName, phone },
    provider,
    offers,
    status,
    ...row
  }: Prisma.WaitlistEntryGetPayload<{ include: typeof shown }>,
  names: Map<string, string>,
): WaitlistRecord {
  const { id, clinicId, patientId, visitType, earliestOn, latestOn, fromTime, untilTime, createdAt, endedAt } = row;
  const offer = offers.find((each) => each.status === 'open' || each.status === 'accepted');
  return {
    id,
    clinicId,
    patientId,
    patientName: `${firstName} ${lastName}`.trim(),
    phone: phone || null,
    providerName: provider?.name ?? null,
    visitType,
    earliestOn,
    latestOn,
    fromTime,
    untilTime,
    status: status as WaitlistStatus,
    offeredAt: offer?.startsAt ?? null,
    appointmentId: offer?.appointmentId ?? null,
    offers: offers.map(({ providerId, startsAt, status: answer, offeredAt }) => ({
      providerDisplayName: names.get(providerId) ?? '',
      startsAt,
      status: answer as OfferStatus,
      offeredAt,
    })),
    createdAt,
    endedAt,
  };
}
