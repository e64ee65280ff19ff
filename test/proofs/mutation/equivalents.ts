import { changeOf, isSql, type Mutant, type Operator } from './mutant';

/** A change that no test can notice, found again by its line wherever that stands. */
interface Equivalent {
  file: string;
  operator: Operator;
  /** The line without its margin, and what of it is replaced by what: as `npm run prove -- mutation` lists survivors. */
  at: string;
  change: string;
  /** Why nothing can be told apart. */
  reason: string;
}

const equivalents: Equivalent[] = [
  {
    file: 'shared/domain/calendar/zone-offsets.ts',
    operator: 'swap a constant',
    at: '512,',
    change: '512 → 513',
    reason: 'how many offsets are remembered was chosen',
  },
  {
    file: 'prisma/stores/operations/retention.ts',
    operator: 'drop an operand',
    at: 'and a.response is not null`,',
    change: 'and a.response is not null → nothing',
    reason: 'to empty what is empty changes nothing',
  },
  {
    file: 'workflows/outreach/outreach-state.ts',
    operator: 'swap a constant',
    at: 'if (isConversation && waitMs > 0) {',
    change: '0 → 1',
    reason: 'a wait of a millisecond is as none',
  },
  {
    file: 'api/tools/answer-once.ts',
    operator: 'drop a statement',
    at: 'timer.unref();',
    change: 'timer.unref(); → nothing',
    reason:
      'the timer is cleared with the answer; a process that ends by itself while one is awaited is none of the service',
  },
  {
    file: 'prisma/stores/outreach/run-openers.ts',
    operator: 'drop an operand',
    at: "or (kind = 'session' and key = any(${erasedKeys.ofSession(clinicId, workflowType, sessionId)})))",
    change: "kind = 'session' and → nothing",
    reason: 'a key says its kind too: the column is there for the index',
  },
  {
    file: 'api/routes/outreach/calls-under-way.ts',
    operator: 'swap a word',
    at: "if (!task) throw new AppError('not_found', `Task ${taskId} not found`);",
    change: "'not_found' → 'unknown_patient'",
    reason: 'the same request has made the task',
  },
  {
    file: 'prisma/client.ts',
    operator: 'swap a constant',
    at: '{ poolSize = 16, statementTimeoutMs = 10_000, silenceMs = 12_000 }: DatabaseOptions = {},',
    change: '16 → 17',
    reason: 'how many connections a pool has at most was chosen; one more is as right',
  },
  {
    file: 'prisma/stores/events/fhir-subscriptions.ts',
    operator: 'swap a constant',
    at: 'const count = given?.count ?? 0;',
    change: '0 → 1',
    reason: 'count(*) always gives a row',
  },
  {
    file: 'prisma/stores/calendar/appointments.ts',
    operator: 'drop an operand',
    at: 'select id, provider_id, starts_at from appointments where clinic_id = ${clinicId} and id = ${appointmentId}),',
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'the update that it is for asks for the clinic again, and an id is of one clinic',
  },
  {
    file: 'shared/domain/sandbox/readiness/events.ts',
    operator: 'flip a comparison',
    at: "const created = probesOf(exchanges, 'genuine').findLast(({ number }) => number < outcome.number);",
    change: '< → <=',
    reason: 'no exchange is a probe of both kinds',
  },
  {
    file: 'prisma/stores/events/clinic-notices.ts',
    operator: 'drop a statement',
    at: 'if (notices.length === 0) return;',
    change: 'return; → {}',
    reason: 'to insert nothing does nothing either',
  },
  {
    file: 'gateways/voice/assistants/differences.ts',
    operator: 'swap a constant',
    at: 'const at = (i: number, j: number) => common[i]?.[j] ?? 0;',
    change: '0 → 1',
    reason: 'the table has a row and a column for each rest, the empty one too',
  },
  {
    file: 'gateways/calendar/fhir/appointments.ts',
    operator: 'drop an operand',
    at: '...(frees && { frees }),',
    change: '&& { frees } → nothing',
    reason: 'what was not looked up before is looked up then',
  },
  {
    file: 'gateways/calendar/fhir/live-ehr.ts',
    operator: 'negate a condition',
    at: 'if (actors.length > 0) await schedulesOf(ask, actors, memory).catch(() => undefined);',
    change: 'actors.length > 0 → !(actors.length > 0)',
    reason: 'what is not asked for ahead is asked for where it is needed',
  },
  {
    file: 'sandbox/chosen-failures.ts',
    operator: 'swap a constant',
    at: 'async slow_answer({ plainly, asked, parameters: { delaySeconds = 0 } }) {',
    change: '0 → 1',
    reason: 'a failure that was chosen has all of its parameters',
  },
  {
    file: 'prisma/group-commit.ts',
    operator: 'swap a constant',
    at: 'lanes = 1,',
    change: '1 → 2',
    reason: 'without a function that chooses a lane every write takes the first',
  },
  {
    file: 'prisma/stores/patients/proposals.ts',
    operator: 'drop an operand',
    at: 'where p.clinic_id = ${clinicId} and p.id = ${patientId} and g.clinic_id = p.clinic_id and g.patient_id = p.id',
    change: 'p.clinic_id = ${clinicId} and → nothing',
    reason: 'the patient is known by an id, whose clinic the group must share',
  },
  {
    file: 'prisma/stores/calendar/held-times.ts',
    operator: 'drop a statement',
    at: 'if (ids.length === 0) return;',
    change: 'return; → {}',
    reason: 'an update of no ids changes nothing',
  },
  {
    file: 'prisma/stores/outreach/run-facts.ts',
    operator: 'drop an operand',
    at: 'exists (select 1 from appointments b where b.clinic_id = r.clinic_id and b.patient_id = r.patient_id',
    change: 'b.clinic_id = r.clinic_id and → nothing',
    reason: 'a patient is of one clinic, and so are their appointments',
  },
  {
    file: 'prisma/stores/calendar/waitlist-offers.ts',
    operator: 'drop an operand',
    at: 'where f.clinic_id = ${clinicId} and f.id = ${freedId}::bigint for update of f skip locked`;',
    change: 'f.clinic_id = ${clinicId} and → nothing',
    reason: 'nobody of another clinic is offered to, and what is deleted is looked up by clinic',
  },
  {
    file: 'prisma/stores/patients/patient-merges.ts',
    operator: 'drop an operand',
    at: 'await tx`update patients set replaced_by = ${keptId}, updated_at = now() where clinic_id = ${clinicId} and id = ${replacedId}`;',
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'the id was found in the clinic by the same transaction',
  },
  {
    file: 'prisma/stores/events/deliveries.ts',
    operator: 'drop an operand',
    at: "select 1 from deliveries where clinic_id = ${clinicId} and state = 'PENDING' and receiver_id = ${id} limit ${MANY}) w)",
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'a receiver is of one clinic, and so is all that it is owed',
  },
  {
    file: 'prisma/stores/outreach/left-calls.ts',
    operator: 'flip a comparison',
    at: "not_found_at = case when not_found_at >= now() - interval '90 seconds' then not_found_at else now() end",
    change: '>= → >',
    reason: 'the very instant is never seen',
  },
  {
    file: 'prisma/stores/events/deliveries.ts',
    operator: 'flip a comparison',
    at: 'select d.id, d.clinic_id, d.subject, d.receiver_id, coalesce(d.leased_until > now(), false) as is_held,',
    change: '> → >=',
    reason: 'the very instant is never seen',
  },
  {
    file: 'prisma/stores/operations/overview.ts',
    operator: 'swap a constant',
    at: 'onTheDay: 0,',
    change: '0 → 1',
    reason: 'the statement always returns a row',
  },
  {
    file: 'prisma/stores/voice/call-evidence.ts',
    operator: 'drop an operand',
    at: 'where clinic_id = ${clinicId} and id = ${callId}',
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'call and clinic were found together by the same transaction',
  },
  {
    file: 'prisma/stores/patients/erased-rows.ts',
    operator: 'swap a constant',
    at: 'return page.length < REPLIES_AT_ONCE ? null : (page.at(-1) ?? null);',
    change: '1 → 2',
    reason: 'the next page begins a row earlier, and what is forgotten twice is gone once',
  },
  {
    file: 'dashboard/forms/editable.tsx',
    operator: 'drop an element',
    at: '}, [version, notes]);',
    change: ', notes → nothing',
    reason: 'the notes are made once for a page',
  },
  {
    file: 'api/fhir/subscription.ts',
    operator: 'swap a constant',
    at: '(heartbeatSeconds ?? 0) <= HEARTBEAT.max);',
    change: '0 → 1',
    reason: 'null is no integer, which the other condition asks for',
  },
  {
    file: 'api/openapi/examples.ts',
    operator: 'swap a constant',
    at: 'last_page_reached: 3,',
    change: '3 → 4',
    reason: 'any page up to the last is as good an example',
  },
  {
    file: 'workflows/abandonment-recovery.ts',
    operator: 'drop an await',
    at: 'await outreach.end(resolution.recoveryStatus, { resolution, endedAt });',
    change:
      'await outreach.end(resolution.recoveryStatus, { resolution, endedAt }) → outreach.end(resolution.recoveryStatus, { resolution, endedAt })',
    reason: 'that a run has ended stands before the first wait, and its close waits for what is written',
  },
  {
    file: 'shared/domain/calendar/zone-offsets.ts',
    operator: 'swap a constant',
    at: 'const earliestKnown = Date.UTC(1800, 0, 1);',
    change: '0 → 1',
    reason: 'every zone keeps its local mean time in January and February of 1800',
  },
  {
    file: 'sandbox/chosen-failures.ts',
    operator: 'swap a constant',
    at: 'const more = (resourceOf(await withQuery({ schedule, start, _count: 500 })) as Searchset).entry;',
    change: '500 → 501',
    reason: 'the server gives no more than 500',
  },
  {
    file: 'worker/duty.ts',
    operator: 'swap a constant',
    at: 'const STOP_MS = 800;',
    change: '800 → 801',
    reason: 'how long a stop may take was chosen',
  },
  {
    file: 'worker/create-worker.ts',
    operator: 'swap a constant',
    at: 'maxConcurrentActivityTaskExecutions: 200,',
    change: '200 → 201',
    reason: 'how many activities run at once was chosen',
  },
  {
    file: 'prisma/service-role.ts',
    operator: 'drop an operand',
    at: 'select coalesce(rolsuper or exists (',
    change: 'rolsuper or → nothing',
    reason: 'a superuser may seal the audit, which is asked too',
  },
  {
    file: 'prisma/stores/patients/patient-exports.ts',
    operator: 'swap a word',
    at: "isolationLevel: 'RepeatableRead',",
    change: "'RepeatableRead' → 'Serializable'",
    reason: 'what only reads sees the same by the stricter one',
  },
  {
    file: 'prisma/migrations/00000000000000_first/migration.sql',
    operator: 'drop a filter',
    at: 'CREATE UNIQUE INDEX outbound_events_numbered ON outbound_events (clinic_id, subject, number) WHERE number IS NOT NULL;',
    change: 'WHERE number IS NOT NULL → nothing',
    reason: 'empty numbers are never the same',
  },
  {
    file: 'prisma/stores/calendar/waitlist.ts',
    operator: 'swap a constant',
    at: "if ((open?.count ?? 0) >= MAX_OF_PATIENT) return 'too_many' as const;",
    change: '0 → 1',
    reason: 'a count always gives a row',
  },
  {
    file: 'prisma/changes.ts',
    operator: 'drop an operand',
    at: 'if (isQuiet && isLocked) await unlock();',
    change: '&& isLocked → nothing',
    reason: 'to give back a lock that is not held does nothing',
  },
  {
    file: 'prisma/stores/outreach/lines.ts',
    operator: 'swap a constant',
    at: 'return state ?? { used: 0, waiting: 0, hasTicket: false, isGranted: false };',
    change: 'false → true',
    reason: 'a count always gives a row',
  },
  {
    file: 'prisma/migrations/00000000000000_first/migration.sql',
    operator: 'drop an operand',
    at: "WHERE clinic_id = opening ->> 'clinicId' AND kind IN ('session', 'event')",
    change: "clinic_id = opening ->> 'clinicId' AND → nothing",
    reason: 'the digest is made with the clinic',
  },
  {
    file: 'prisma/stores/outreach/reserved-calls.ts',
    operator: 'swap a constant',
    at: 'const noCalls: PatientCalls = { day: 0, week: 0, isTalking: false, isPaused: false, isClinicAtLimit: false };',
    change: '0 → 1',
    reason: 'a count always gives a row',
  },
  {
    file: 'prisma/stores/operations/clinic-states.ts',
    operator: 'swap a constant',
    at: 'clinics: all?.clinics ?? 0,',
    change: '0 → 1',
    reason: 'a count always gives a row',
  },
  {
    file: 'prisma/stores/events/endpoints.ts',
    operator: 'swap a constant',
    at: 'return ended?.count ?? 0;',
    change: '0 → 1',
    reason: 'a count always gives a row',
  },
  {
    file: 'prisma/changes.ts',
    operator: 'swap a constant',
    at: 'const LOOK_SELDOM_MS = 900;',
    change: '900 → 901',
    reason: 'how long is waited was chosen',
  },
  {
    file: 'prisma/stores/operations/audit-chain.ts',
    operator: 'flip a comparison',
    at: "where l.entry_id is null and (u.entry_id is null or e.at < now() - interval '10 minutes')",
    change: '< → <=',
    reason: 'it differs for one instant of the clock alone',
  },
  {
    file: 'api/openapi/examples.ts',
    operator: 'swap a constant',
    at: "'POST /runs/cancel': { workflowType: 'abandonment-recovery', until: '2026-11-20T10:00:00.000Z', dryRun: false },",
    change: 'false → true',
    reason: 'either is a valid example',
  },
  {
    file: 'api/routes/operations/lookup.ts',
    operator: 'swap a word',
    at: "patient: 'patients.read',",
    change: "'patients.read' → 'patients'",
    reason: 'every role that has the one right has the other',
  },
  {
    file: 'shared/domain/calendar/zone-offsets.ts',
    operator: 'swap a constant',
    at: 'const [month = 0, day = 0, year = 0, hour = 0, minute = 0, seconds = 0] = clockOf(zone)',
    change: '0 → 1',
    reason: 'the clock names all six',
  },
  {
    file: 'shared/domain/outreach/opening-spread.ts',
    operator: 'swap a constant',
    at: 'for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;',
    change: '0 → 1',
    reason: 'a character has a code point',
  },
  {
    file: 'shared/png.ts',
    operator: 'swap a word',
    at: "const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);",
    change: "'latin1' → 'binary'",
    reason: 'two names of one encoding',
  },
  {
    file: 'shared/domain/outreach/calling-windows.ts',
    operator: 'drop an operand',
    at: 'const next: string | null = clock && at !== null ? nextCallingTime({ ...clock, from: at }) : null;',
    change: '&& at !== null → nothing',
    reason: 'it returns before where there is no time',
  },
  {
    file: 'shared/contracts/primitives.ts',
    operator: 'drop an operand',
    at: 'const hasZone = match?.[2] !== undefined || (match !== null && !/[T ]/.test(text.trim()));',
    change: 'match !== null && → nothing',
    reason: 'without a match it is no time in any case',
  },
  {
    file: 'prisma/stores/operations/audit-chain.ts',
    operator: 'swap a constant',
    at: 'const CLINICS_AT_ONCE = 100;',
    change: '100 → 101',
    reason: 'how many clinics are gone through at once was chosen',
  },
  {
    file: 'prisma/stores/events/receivers.ts',
    operator: 'swap a constant',
    at: 'if (pauseMs > 0) {',
    change: '0 → 1',
    reason: 'a pause of a millisecond is as none',
  },
  {
    file: 'prisma/stores/calendar/holds.ts',
    operator: 'swap a constant',
    at: 'const MAX_TRIES = 5;',
    change: '5 → 6',
    reason: 'how often a lost race is tried again was chosen',
  },
  {
    file: 'prisma/stores/operations/retention.ts',
    operator: 'flip a comparison',
    at: 'and coalesce(r.held_back_at < now() - make_interval(hours => ${EVERY_HOURS}), true)',
    change: '< → <=',
    reason: 'the very instant is never seen',
  },
  {
    file: 'prisma/stores/calendar/overrides.ts',
    operator: 'drop an operand',
    at: "if (way.kind === 'slot_taken' || way.kind === 'slot_held') return { kind: way.kind };",
    change: "way.kind === 'slot_taken' || → nothing",
    reason: "what is taken stays so under the provider's lock, and the last try answers it too",
  },
  {
    file: 'prisma/stores/events/fhir-subscriptions.ts',
    operator: 'drop an operand',
    at: 'const [removed] = await tx`delete from receivers where clinic_id = ${clinicId} and id = ${id} returning id`;',
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'the same transaction has found the id in the clinic',
  },
  {
    file: 'prisma/stores/outreach/call-records.ts',
    operator: 'drop an operand',
    at: '(select ended_reason from calls where clinic_id = ${clinicId} and ended_reason is not null order by ended_reason limit 1)',
    change: 'and ended_reason is not null → nothing',
    reason: 'nulls come last, and one is dropped by the next condition',
  },
  {
    file: 'commands/verify-dials.ts',
    operator: 'swap a constant',
    at: 'const BATCH = 500;',
    change: '500 → 501',
    reason: 'how many are read at once was chosen',
  },
  {
    file: 'accounts/library.ts',
    operator: 'swap a constant',
    at: 'rateLimit: { enabled: false },',
    change: 'false → true',
    reason: "only the library's own routes are limited by it, and none is served",
  },
  {
    file: 'temporal/schedules.ts',
    operator: 'drop a statement',
    at: 'if (await isCreated(client)) return;',
    change: 'return; → {}',
    reason: 'the schedule that is found is updated with the same values',
  },
  {
    file: 'workflows/erase-patient.ts',
    operator: 'swap a constant',
    at: 'const FIRST_WAIT_MS = 500;',
    change: '500 → 501',
    reason: 'a wait of a millisecond more',
  },
  {
    file: 'sandbox/readiness/run-report.ts',
    operator: 'swap a constant',
    at: 'const DAYS_AHEAD = 400;',
    change: '400 → 401',
    reason: 'no zone has its next change on just that day',
  },
  {
    file: 'commands/apply/endpoints-section.ts',
    operator: 'swap a word',
    at: "throw new AppError('conflict', 'cannot be told apart: two have one name, rename or remove one of them first');",
    change: "'conflict' → 'slot_taken'",
    reason: 'only the command apply catches it, which shows message and line',
  },
  {
    file: 'accounts/seed.ts',
    operator: 'swap a constant',
    at: 'const unlinkedAccount = { email: `unlinked-${newId().slice(-8)}@example.com`, password: randomToken(12) };',
    change: '8 → 9',
    reason: 'one more letter of a made-up address',
  },
  {
    file: 'temporal/setup.ts',
    operator: 'swap a constant',
    at: 'const LOOK_AGAIN_MS = 500;',
    change: '500 → 501',
    reason: 'a wait of a millisecond more',
  },
  {
    file: 'accounts/second-factors.ts',
    operator: 'flip a comparison',
    at: 'failures = case when coalesce(failed_at > now() - make_interval(mins => ${LOCK_MINUTES}), false) then failures + 1 else 1 end',
    change: '> → >=',
    reason: 'the very instant is never seen',
  },
  {
    file: 'accounts/sign-in.ts',
    operator: 'swap a constant',
    at: 'const key = randomToken(24);',
    change: '24 → 25',
    reason: 'a longer key is as good',
  },
];

/** In a join beside an id: the clinic is there as a rule of the house. */
const clinicBesideAnId = /^\w+\.clinic_id = \w+\.clinic_id and → nothing$/i;

/** Why a mutant is none; null where it is one. */
export function reasonAgainst(mutant: Mutant, text: string): string | null {
  if (
    clinicBesideAnId.test(changeOf(mutant, text)) &&
    /\bon \w+\.clinic_id = .* and \w+\.(id = |\w+_id = \w+\.id\b)/i.test(mutant.at)
  )
    return 'an id is of one clinic';
  if (/\blimit (\+ 1|\$\{limit \+ 1\})/.test(mutant.at) && changeOf(mutant, text) === '1 → 2')
    return 'a page is cut at its limit; one more says that there are others';
  const statement = text.slice(text.lastIndexOf('\nCREATE ', mutant.start) + 1);
  if (isSql(mutant.file) && statement.startsWith('CREATE INDEX')) return 'an index of other rows finds the same';
  const found = equivalents.find(
    ({ file, operator, at, change }) =>
      file === mutant.file && operator === mutant.operator && at === mutant.at && change === changeOf(mutant, text),
  );
  return found?.reason ?? null;
}
