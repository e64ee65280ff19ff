import { randomUUID } from 'node:crypto';
import { etagIn, idInLocation } from '@clinic/shared/contracts/calendar/fhir-reading';
import { CapabilityStatement } from '@clinic/gateways/calendar/fhir/statement';
import { nextClockChange } from '@clinic/shared/domain/calendar/clock-change';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import { minuteMs, offsetAt } from '@clinic/shared/domain/calendar/zone-offsets';
import { z } from 'zod';
import { AppointmentFound, book, bookedIn, cancel, move, proposedAt, read, REASON } from './booking';
import type { Exchange } from './ehr-client';
import {
  bookedOf,
  type Bundle,
  bundleIn,
  can,
  createsOnCondition,
  expectOk,
  expectRefused,
  fail,
  freeSlot,
  hasOperation,
  isOk,
  matchesIn,
  needs,
  nextOf,
  patientOf,
  sameTime,
  skip,
  SlotFound,
  type Subject,
} from './subject';

/** One thing that a clinic's integration counts on at an EHR. `run` returns for what is fulfilled and throws `CheckFailed` or `NotApplicable`. */
export interface Check {
  id: string;
  area: 'Access' | 'Patients' | 'Open times' | 'Booking' | 'Moving and cancelling' | 'Notes';
  title: string;
  run(subject: Subject): Promise<void>;
}

const PAGE = 5;
const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade';
const REFUSALS = [400, 403, 404, 409, 410, 412, 422];

const PatientFound = z.looseObject({ resourceType: z.literal('Patient'), id: z.string() });
const ScheduleFound = z.looseObject({
  resourceType: z.literal('Schedule'),
  id: z.string(),
  actor: z.array(z.looseObject({ reference: z.string().optional() })),
});

/** All of them, in the order in which they are run: later ones go on from what earlier ones found. */
export const checks: readonly Check[] = [
  {
    id: 'capabilities',
    area: 'Access',
    title: 'Declares what it can do, as FHIR R4',
    async run(subject) {
      const { body } = expectOk(await subject.client.ask('GET', 'metadata'));
      const statement = CapabilityStatement.safeParse(body);
      if (!statement.success) return fail('metadata is no CapabilityStatement');
      subject.statement = statement.data;
      const { fhirVersion } = statement.data;
      if (!fhirVersion.startsWith('4.0')) fail(`it is FHIR ${fhirVersion}, not R4 (4.0)`);
    },
  },
  {
    id: 'token-refused',
    area: 'Access',
    title: 'Refuses a token that it has not given',
    async run({ client, hasToken }) {
      if (!hasToken) skip('no token is sent to this server');
      const { status } = await client.ask('GET', 'Slot?_count=1', { bearer: `unknown-${randomUUID()}` });
      if (status !== 401 && status !== 403) fail(`${status ?? 'no reply'} where 401 was expected`);
    },
  },
  {
    id: 'patient-found',
    area: 'Patients',
    title: 'Finds a known patient, by $match or by a search',
    async run(subject) {
      const found = await findPerson(subject, subject.person);
      const [first] = matchesIn(bundleIn(found), PatientFound);
      if (!first) return fail('nobody was found');
      subject.patient = `Patient/${first.id}`;
    },
  },
  {
    id: 'match-graded',
    area: 'Patients',
    title: '$match takes a Patient and grades who may be meant',
    async run(subject) {
      if (!hasOperation(subject, 'Patient', 'match')) skip('its CapabilityStatement declares no $match of Patient');
      const { entry = [] } = bundleIn(await matchBy(subject, subject.person));
      const [first] = entry;
      if (!first) return fail('nobody was found');
      const grade = first.search?.extension?.find(({ url }) => url === GRADE)?.valueCode;
      if (grade === undefined && first.search?.score === undefined) fail('the entry has neither match-grade nor score');
    },
  },
  {
    id: 'patient-unknown',
    area: 'Patients',
    title: 'Finds nobody for an unknown patient: an empty Bundle, and nobody is made',
    async run(subject) {
      const unknown = {
        resourceType: 'Patient' as const,
        // Always the same one: a server that makes them makes one.
        identifier: [{ value: 'NOBODY-READINESS' }],
        name: [{ family: 'Nobodyofthatname', given: ['Nora'] }],
        birthDate: '1901-01-01',
      };
      const { length } = matchesIn(bundleIn(await findPerson(subject, unknown)), PatientFound);
      if (length > 0) fail(`${length} found where nobody has that identifier, name and birth date`);
    },
  },
  {
    id: 'schedule',
    area: 'Open times',
    title: "Finds a practitioner's Schedule by a search",
    async run(subject) {
      needs(subject, 'Schedule', 'search-type');
      const { client, practitioner } = subject;
      const exchange = await client.ask('GET', practitioner ? `Schedule?actor=${practitioner}` : 'Schedule?_count=1');
      const bare = ScheduleFound.safeParse(exchange.body);
      const [found] = bare.success ? [bare.data] : matchesIn(bundleIn(exchange), ScheduleFound);
      if (!found) return fail('no Schedule was found');
      subject.schedule ??= `Schedule/${found.id}`;
      subject.practitioner ??= found.actor.find(({ reference }) => reference?.includes('Practitioner/'))?.reference;
      if (bare.success) fail('the reply is the Schedule itself, not a Bundle');
    },
  },
  {
    id: 'slots',
    area: 'Open times',
    title: 'Shows open times, each with start, end, status and schedule',
    async run(subject) {
      const bundle = bundleIn(await searchSlots(subject, { count: 50 }));
      const slots = slotsIn(bundle).filter(({ status }) => status === 'free');
      if ((bundle.entry?.length ?? 0) > 0 && slots.length === 0)
        fail('no entry is a free Slot with id, schedule, start and end');
      subject.slots = slots;
      const odd = slots.find(({ start, end }) => !(Date.parse(end) > Date.parse(start)));
      if (odd) fail(`the slot ${odd.id} does not end after it begins`);
      if (slots.length === 0) skip('no time is on offer');
    },
  },
  {
    id: 'slot-paging',
    area: 'Open times',
    title: 'Pages open times: keeps _count, and `next` leads on to others',
    async run(subject) {
      if ((subject.slots?.length ?? 0) <= PAGE) skip(`no more than ${PAGE} times are on offer`);
      const first = bundleIn(await searchSlots(subject, { count: PAGE }));
      const shown = slotsIn(first);
      if (shown.length > PAGE) fail(`${shown.length} entries where _count was ${PAGE}`);
      const next = nextOf(first) ?? fail('there is more, and no link `next`');
      const more = slotsIn(bundleIn(await subject.client.ask('GET', next)));
      if (more.length === 0) fail('the next page is empty');
      const twice = more.find(({ id }) => shown.some((each) => each.id === id));
      if (twice) fail(`the slot ${twice.id} is on both pages`);
    },
  },
  {
    id: 'slots-empty',
    area: 'Open times',
    title: 'Shows an empty Bundle where no time is on offer',
    async run(subject) {
      const bundle = bundleIn(await searchSlots(subject, { from: '2001-01-01', until: '2001-01-02' }));
      if (slotsIn(bundle).length > 0) fail('a day of 2001 has open times');
      if (bundle.entry?.length === 0) fail('`entry` is an empty array, which R4 does not have: it is left out');
    },
  },
  ...(['forward', 'back'] as const).map((way): Check => ({
    id: `clocks-${way}`,
    area: 'Open times',
    title: `Shows each time once and in its true length about the day on which the clocks go ${way}`,
    run: (subject) => checkClockChange(subject, way),
  })),
  {
    id: 'book',
    area: 'Booking',
    title: 'Books a time that is on offer',
    async run(subject) {
      const slot = freeSlot(subject);
      const exchange = expectOk(await book(subject, slot));
      const known = bookedIn(exchange) ?? fail('the reply has no Appointment with an id');
      subject.booked = subject.made.find(({ id }) => id === known.id);
      if (!sameTime(known.start || slot.start, slot.start))
        fail(`${known.start} was booked where ${slot.start} was asked for`);
    },
  },
  {
    id: 'booked-not-offered',
    area: 'Booking',
    title: 'Offers a time no longer that is booked',
    async run(subject) {
      const { start } = bookedOf(subject);
      if (await isOffered(subject, start)) fail(`${start} is booked and still on offer`);
    },
  },
  {
    id: 'double-booking',
    area: 'Booking',
    title: 'Refuses a second booking of the same time with 409',
    async run(subject) {
      const { start } = bookedOf(subject);
      const slot =
        subject.slots?.find((each) => sameTime(each.start, start)) ?? skip('the booked time was not on offer');
      expectRefused(await book(subject, slot), [409]);
    },
  },
  {
    id: 'past-time',
    area: 'Booking',
    title: 'Refuses a time that has passed',
    async run(subject) {
      const past = { ...freeSlot(subject), start: '2020-01-06T16:00:00.000Z', end: '2020-01-06T16:30:00.000Z' };
      expectRefused(await book(subject, past), REFUSALS);
    },
  },
  {
    id: 'incomplete-booking',
    area: 'Booking',
    title: 'Refuses a booking without a start, and says so in an OperationOutcome',
    async run(subject) {
      const exchange = await book(subject, freeSlot(subject), { start: undefined, end: undefined, slot: undefined });
      expectRefused(exchange, REFUSALS);
    },
  },
  {
    id: 'unknown-patient',
    area: 'Booking',
    title: 'Refuses a booking for a patient whom it does not have',
    async run(subject) {
      const slot = freeSlot(subject);
      const participant = proposedAt({ ...subject, patient: `Patient/nobody-${randomUUID()}` }, slot).participant;
      expectRefused(await book(subject, slot, { participant }), REFUSALS);
    },
  },
  {
    id: 'create-once',
    area: 'Booking',
    title: 'Creates once what is sent twice with If-None-Exist',
    async run(subject) {
      needs(subject, 'Appointment', 'create');
      if (!createsOnCondition(subject, 'Appointment')) skip('its CapabilityStatement declares no conditional create');
      const slot = freeSlot(subject);
      const { identifier } = proposedAt(subject, slot);
      const [{ system, value } = { system: '', value: '' }] = identifier;
      const headers = { 'if-none-exist': `identifier=${system}|${value}` };
      const first = bookedIn(expectOk(await book(subject, slot, { identifier, headers })));
      const again = await book(subject, slot, { identifier, headers });
      expectOk(again);
      const second = bookedIn(again);
      const made = subject.made.find(({ id }) => id === first?.id);
      if (made) await cancel(subject.client, subject, made);
      if (!first || (second && second.id !== first.id)) fail('the second request made another appointment');
    },
  },
  {
    id: 'appointments-of-patient',
    area: 'Booking',
    title: "Shows the booking among the patient's appointments",
    async run(subject) {
      needs(subject, 'Appointment', 'search-type');
      const { id, start } = bookedOf(subject);
      const day = `&date=ge${start.slice(0, 10)}`;
      const query = `Appointment?patient=${patientOf(subject)}${day}&_count=100`;
      let bundle = bundleIn(await subject.client.ask('GET', query));
      for (let pages = 1; ; pages += 1) {
        if (matchesIn(bundle, AppointmentFound).some((each) => each.id === id)) return;
        const next = nextOf(bundle);
        if (next === undefined || pages === 20) fail('it is not among them');
        bundle = bundleIn(await subject.client.ask('GET', next ?? ''));
      }
    },
  },
  {
    id: 'read-version',
    area: 'Booking',
    title: 'Reads an appointment by id, with its version in ETag and meta',
    async run(subject) {
      needs(subject, 'Appointment', 'read');
      const exchange = expectOk((await read(subject.client, subject, bookedOf(subject))) ?? fail('it cannot be read'));
      const version = etagIn(exchange.body);
      const { etag } = exchange.headers;
      if (version === null || etag === undefined) fail(`there is no ${version === null ? 'meta.versionId' : 'ETag'}`);
      if (etag !== version) fail(`ETag is ${etag} and meta.versionId ${version}`);
    },
  },
  {
    id: 'unknown-appointment',
    area: 'Booking',
    title: 'Says 404 for an appointment that it does not have',
    async run(subject) {
      needs(subject, 'Appointment', 'read');
      expectRefused(await subject.client.ask('GET', `Appointment/none-${randomUUID()}`), [404, 410]);
    },
  },
  {
    id: 'move',
    area: 'Moving and cancelling',
    title: 'Moves an appointment: by one call, or by booking anew and cancelling',
    async run(subject) {
      const booked = bookedOf(subject);
      const slot = freeSlot(subject);
      const { exchange } = await move(subject, booked, slot);
      expectOk(exchange);
      const { start } = bookedOf(subject);
      if (!sameTime(start || slot.start, slot.start)) fail(`it is at ${start} where ${slot.start} was asked for`);
    },
  },
  {
    id: 'stale-change',
    area: 'Moving and cancelling',
    title: 'Refuses a change with the ETag of an older version with 412',
    async run(subject) {
      const booked = bookedOf(subject);
      needs(subject, 'Appointment', 'update');
      const current = await read(subject.client, subject, booked);
      if (!current || !isOk(current) || booked.etag === null) return skip('it shows no version');
      const body = { ...current.body, status: 'cancelled', cancelationReason: REASON };
      const headers = { 'if-match': 'W/"999999"' };
      const exchange = await subject.client.ask('PUT', `Appointment/${booked.id}`, { body, headers });
      if (isOk(exchange)) booked.isOver = true;
      expectRefused(exchange, [409, 412]);
    },
  },
  {
    id: 'cancel',
    area: 'Moving and cancelling',
    title: 'Cancels an appointment for a coded reason',
    async run(subject) {
      const booked = bookedOf(subject);
      const { body } = expectOk(await cancel(subject.client, subject, booked));
      const status = body?.resourceType === 'Appointment' ? body.status : undefined;
      if (status !== undefined && status !== 'cancelled') fail(`its status is ${status} then`);
    },
  },
  {
    id: 'cancel-twice',
    area: 'Moving and cancelling',
    title: 'Takes a second cancellation for what it is: done, or refused in an OperationOutcome',
    async run(subject) {
      const booked = bookedOf(subject);
      if (!booked.isOver) skip('it could not be cancelled');
      const exchange = await cancel(subject.client, subject, booked);
      if (!isOk(exchange)) expectRefused(exchange, REFUSALS);
    },
  },
  {
    id: 'offered-again',
    area: 'Moving and cancelling',
    title: 'Offers a time again whose appointment was cancelled',
    async run(subject) {
      const booked = bookedOf(subject);
      if (!booked.isOver) skip('it could not be cancelled');
      if (!(await isOffered(subject, booked.start))) fail(`${booked.start} is not on offer again`);
    },
  },
  {
    id: 'history',
    area: 'Moving and cancelling',
    title: 'Shows the versions of an appointment, the newest first',
    async run(subject) {
      needs(subject, 'Appointment', 'history-instance');
      const { id } = bookedOf(subject);
      const { body } = expectOk(await subject.client.ask('GET', `Appointment/${id}/_history`));
      if (body?.type !== 'history') fail('the reply is no Bundle of type history');
      const versions = ((body as Bundle).entry ?? []).flatMap(({ resource }) => {
        const found = AppointmentFound.safeParse(resource);
        return found.success ? [found.data] : [];
      });
      if (versions.length < 2) fail(`${versions.length} versions where it was booked and cancelled`);
      if (versions[0]?.status !== 'cancelled') fail(`the first is ${versions[0]?.status}, not the newest`);
    },
  },
  {
    id: 'note',
    area: 'Notes',
    title: 'Takes a note about a patient',
    async run(subject) {
      needs(subject, 'DocumentReference', 'create');
      const canUndo = can(subject, 'DocumentReference', 'delete') || can(subject, 'DocumentReference', 'update');
      if (!canUndo && !subject.mayLeaveNote) skip('a note cannot be taken back there: give --note to have one written');
      const text = 'A check of the integration; no information about the patient.';
      const body = {
        resourceType: 'DocumentReference',
        status: 'current',
        type: { coding: [{ system: 'http://loinc.org', code: '34133-9', display: 'Summary of episode note' }] },
        subject: { reference: patientOf(subject) },
        content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(text).toString('base64') } }],
      };
      const exchange = expectOk(await subject.client.ask('POST', 'DocumentReference', { body }));
      const id: string = exchange.body?.id ?? idInLocation(exchange.headers.location) ?? fail('the reply has no id');
      if (can(subject, 'DocumentReference', 'delete')) {
        expectOk(await subject.client.ask('DELETE', `DocumentReference/${id}`));
      } else if (canUndo) {
        const retracted = { ...body, id, status: 'entered-in-error' };
        expectOk(await subject.client.ask('PUT', `DocumentReference/${id}`, { body: retracted }));
      }
    },
  },
];

/** By `$match` where it is declared, else by a search for the identifier, or for name and birth date. */
async function findPerson(subject: Subject, person: Subject['person']): Promise<Exchange> {
  const { client } = subject;
  const [identifier] = person.identifier ?? [];
  const [name] = person.name ?? [];
  if (hasOperation(subject, 'Patient', 'match')) {
    const matched = await matchBy(subject, person);
    if (isOk(matched) || !identifier) return matched;
    const parameter = [{ name: 'identifier', valueString: identifier.value }];
    return client.ask('POST', 'Patient/$match', { body: { resourceType: 'Parameters', parameter } });
  }
  needs(subject, 'Patient', 'search-type');
  const query = identifier
    ? `identifier=${encodeURIComponent(identifier.system ? `${identifier.system}|${identifier.value}` : identifier.value)}`
    : `family=${encodeURIComponent(name?.family ?? '')}&birthdate=${person.birthDate ?? ''}`;
  return client.ask('GET', `Patient?${query}`);
}

const matchBy = ({ client }: Subject, { identifier, ...said }: Subject['person']): Promise<Exchange> =>
  client.ask('POST', 'Patient/$match', {
    body: {
      resourceType: 'Parameters',
      parameter: [
        // An identifier without a system says nothing to a server.
        { name: 'resource', resource: { ...said, ...(identifier?.[0]?.system && { identifier }) } },
        { name: 'count', valueInteger: 5 },
      ],
    },
  });

async function searchSlots(
  subject: Subject,
  { from, until, count }: { from?: string; until?: string; count?: number },
): Promise<Exchange> {
  needs(subject, 'Slot', 'search-type');
  const { client, schedule } = subject;
  if (!schedule) return skip('no Schedule was found');
  const query = [
    `schedule=${schedule}`,
    ...(from ? [`start=ge${from}`] : []),
    ...(until ? [`start=lt${until}`] : []),
    'status=free',
    ...(count ? [`_count=${count}`] : []),
  ];
  return client.ask('GET', `Slot?${query.join('&')}`);
}

const slotsIn = (bundle: Bundle): SlotFound[] => matchesIn(bundle, SlotFound);

/** Whether a time is among those on offer of its day, in UTC. */
async function isOffered(subject: Subject, start: string): Promise<boolean> {
  const day = new Date(start).toISOString().slice(0, 10);
  const slots = await slotsBetween(subject, plusDays(day, -1), plusDays(day, 2));
  return slots.some((each) => each.status === 'free' && sameTime(each.start, start));
}

const MAX_PAGES = 20;

async function slotsBetween(subject: Subject, from: string, until: string): Promise<SlotFound[]> {
  let bundle = bundleIn(await searchSlots(subject, { from, until, count: 200 }));
  const slots = slotsIn(bundle);
  for (let pages = 1; pages < MAX_PAGES; pages += 1) {
    const next = nextOf(bundle);
    if (next === undefined) break;
    bundle = bundleIn(await subject.client.ask('GET', next));
    slots.push(...slotsIn(bundle));
  }
  return slots;
}

async function checkClockChange(subject: Subject, way: 'forward' | 'back'): Promise<void> {
  const { zone } = subject;
  const date = changeOf(zone, way) ?? skip(`the clocks of ${zone} do not go ${way}`);
  const slots = await slotsBetween(subject, plusDays(date, -1), plusDays(date, 2));
  if (slots.length === 0) skip(`no time is on offer about ${date}`);
  const starts = new Set<number>();
  for (const { id, start, end } of slots) {
    const at = Date.parse(start);
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(start) ?? [];
    if (sign !== undefined) {
      const said = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
      const isWrong = said !== offsetAt(at, zone) && said !== 0;
      if (isWrong) fail(`the slot ${id} begins at ${start}, which is not the offset of ${zone} then`);
    }
    if (starts.has(at)) fail(`${start} is on offer twice`);
    starts.add(at);
    const length = (Date.parse(end) - at) / minuteMs;
    if (!(length > 0 && length <= 8 * 60)) fail(`the slot ${id} is ${length} minutes long`);
  }
}

/** The date of a zone's next change in that direction; null where there is none. */
function changeOf(zone: string, way: 'forward' | 'back'): string | null {
  let from = localDate(new Date().toISOString(), zone);
  for (let changes = 0; changes < 3; changes += 1) {
    const date = nextClockChange(from, zone);
    if (date === null) return null;
    const [before, after] = [
      offsetAt(Date.parse(`${plusDays(date, -1)}T12:00:00Z`), zone),
      offsetAt(Date.parse(`${plusDays(date, 1)}T12:00:00Z`), zone),
    ];
    if (after > before === (way === 'forward')) return date;
    from = plusDays(date, 1);
  }
  return null;
}
