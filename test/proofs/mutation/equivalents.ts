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
    file: 'api/routes/voice/call-me.ts',
    operator: 'swap a constant',
    at: 'earlierFaults: 0,',
    change: '0 → 1',
    reason: 'the simulator alone reads it, and it rings no phone',
  },
  {
    file: 'api/http/under-way.ts',
    operator: 'swap a constant',
    at: 'const median = durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)] ?? 0;',
    change: '0 → 1',
    reason: 'there is a median: enough were counted',
  },
  {
    file: 'prisma/stores/voice/callers.ts',
    operator: 'drop a statement',
    at: 'if (phone === null) return { patientId: await aPlaceholder(tx, clinicId, phone), isKnown: false, candidates: [] };',
    change: 'return { patientId: await aPlaceholder(tx, clinicId, phone), isKnown: false, candidates: [] }; → {}',
    reason: 'nobody has no phone in common with anybody: the same is made of it below',
  },
  {
    file: 'worker/duty.ts',
    operator: 'drop a statement',
    at: 'if (lost.signal.aborted) return;',
    change: 'return; → {}',
    reason: 'a lease that is lost cannot be prolonged, and one that is given up is released next',
  },
  {
    file: 'prisma/stores/outreach/runs.ts',
    operator: 'drop an operand',
    at: "where n.dispatched_at is null and n.status = 'started' and n.clinic_id > w.clinic_id",
    change: 'n.dispatched_at is null and → nothing',
    reason: 'a clinic where nothing waits has a turn with nothing in it',
  },
  {
    file: 'api/routes/voice/call-me.ts',
    operator: 'swap a word',
    at: "if (!clinic) throw new AppError('not_found', `Clinic ${clinicId} not found`);",
    change: "'not_found' → 'unknown_patient'",
    reason: 'the clinic of somebody who is signed in is there',
  },
  {
    file: 'prisma/stores/calendar/visits.ts',
    operator: 'drop an operand',
    at: 'where a.clinic_id = ${clinicId} and a.id = ${appointmentId}',
    change: 'a.clinic_id = ${clinicId} and → nothing',
    reason: 'the id was found in the clinic by the same transaction',
  },
  {
    file: 'worker/relay.ts',
    operator: 'swap a constant',
    at: 'let headsLoggedAt = 0;',
    change: '0 → 1',
    reason: 'no clock shows so early an instant',
  },
  {
    file: 'shared/domain/outreach/opening-spread.ts',
    operator: 'swap a constant',
    at: 'const isOpening = !isCallable({ ...windows, at: toInstant(opensAt - 1) });',
    change: '1 → 2',
    reason: 'hours begin with a whole minute',
  },
  {
    file: 'dashboard/shell/found.ts',
    operator: 'swap a word',
    at: "const providers = useQuery({ ...api.getProvidersOptions(), ...asks('appointments.read'), staleTime: 60_000 });",
    change: "'appointments.read' → 'appointments'",
    reason: 'no role has one of the two alone',
  },
  {
    file: 'api/http/authenticate.ts',
    operator: 'drop an operand',
    at: "if (caller.kind === 'session' && caller.role === 'operator' && caller.clinicId === null) return caller;",
    change: '&& caller.clinicId === null → nothing',
    reason: 'the database lets no operator have a clinic',
  },
  {
    file: 'prisma/stores/patients/patient-records.ts',
    operator: 'swap a word',
    at: "{ limit, position = null, order = 'newest', isCounted }: Page & { order?: PatientOrder },",
    change: "'newest' → 'oldest'",
    reason: 'who is only counted is as many in any order',
  },
  {
    file: 'dashboard/pages/outreach/calls-under-way.tsx',
    operator: 'swap a constant',
    at: "const calls = useQuery({ ...api.getCallsUnderWayOptions(), enabled: may('workflows') && may('patients.read') });",
    change: '&& → ||',
    reason: 'no role has one of the two alone',
  },
  {
    file: 'api/http/under-way.ts',
    operator: 'swap a constant',
    at: 'let peak = 0;',
    change: '0 → 1',
    reason: 'it is at least one once somebody has entered',
  },
  {
    file: 'sandbox/chosen-failures.ts',
    operator: 'swap a constant',
    at: 'const MAX_SEARCHES = 130;',
    change: '130 → 131',
    reason: 'how far is searched was chosen',
  },
  {
    file: 'gateways/calendar/fhir/calendar.ts',
    operator: 'swap a constant',
    at: 'if (!provider) return false;',
    change: 'false → true',
    reason: 'the EHR is asked for the open times of known providers alone',
  },
  {
    file: 'worker/relay.ts',
    operator: 'swap a constant',
    at: 'isAsleep: ({ newest }: { newest: string }) => (wokenAt.get(newest) ?? 0) < Date.now() - againMs,',
    change: '0 → 1',
    reason: 'either is half a century ago',
  },
  {
    file: 'sandbox/routes/sandbox.ts',
    operator: 'swap a constant',
    at: 'hasRealPatients: agenda?.hasRealPatients ?? false,',
    change: 'false → true',
    reason: 'the clinic of a caller has an agenda',
  },
  {
    file: 'prisma/stores/outreach/reserved-calls.ts',
    operator: 'flip a comparison',
    at: 'const granted = used < lines ? await grantLines(tx, { clinicId, lines }) : [];',
    change: '< → <=',
    reason: 'where all lines are in use none is given',
  },
  {
    file: 'dashboard/lists/filters.tsx',
    operator: 'swap a constant',
    at: "const typed = useRef({ text: '', at: 0 });",
    change: '0 → 1',
    reason: 'what goes on after nothing begins anew',
  },
  {
    file: 'shared/domain/calendar/slots.ts',
    operator: 'swap a constant',
    at: 'const maxAgendas = 256;',
    change: '256 → 257',
    reason: 'how many agendas are remembered was chosen',
  },
  {
    file: 'dashboard/pages/operations/results-groups.tsx',
    operator: 'swap a constant',
    at: 'name: formatHour(hour * 60),',
    change: '60 → 61',
    reason: 'an hour is told without its minutes',
  },
  {
    file: 'dashboard/pages/patients/erase-patient.tsx',
    operator: 'swap a constant',
    at: 'const preview = useQuery({ ...api.getPatientsByPatientIdErasureOptions({ path: { patientId } }), staleTime: 0 });',
    change: '0 → 1',
    reason: 'a millisecond later it is as stale',
  },
  {
    file: 'shared/signing.ts',
    operator: 'swap a word',
    at: "const key = Buffer.from(encoded, 'base64');",
    change: "'base64' → 'base64url'",
    reason: 'Node reads both alphabets as either',
  },
  {
    file: 'gateways/voice/vapi/client.ts',
    operator: 'swap a constant',
    at: 'const MAX_BYTES = 32 * 1024 * 1024;',
    change: '32 → 33',
    reason: 'how much is read was chosen',
  },
  {
    file: 'prisma/stores/events/delivery-leases.ts',
    operator: 'drop an operand',
    at: 'where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token}`;',
    change: 'and id = ${deliveryId} → nothing',
    reason: 'a token is of one delivery',
  },
  {
    file: 'prisma/stores/events/delivery-leases.ts',
    operator: 'drop an operand',
    at: 'where d.clinic_id = ${clinicId} and d.id = ${deliveryId} and d.lease_token = ${token}',
    change: 'and d.id = ${deliveryId} → nothing',
    reason: 'a token is of one delivery',
  },
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
    file: 'prisma/stores/events/receivers.ts',
    operator: 'swap a constant',
    at: 'if (pauseMs > 0) {',
    change: '0 → 1',
    reason: 'a pause of a millisecond is as none',
  },
  {
    file: 'prisma/stores/calendar/held-times.ts',
    operator: 'swap a constant',
    at: 'export const MAX_LOOKS = 5;',
    change: '5 → 6',
    reason: 'how often a lost race is tried again was chosen',
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
    file: 'accounts/sign-in.ts',
    operator: 'swap a constant',
    at: 'const key = randomToken(24);',
    change: '24 → 25',
    reason: 'a longer key is as good',
  },
  {
    file: 'worker/duty.ts',
    operator: 'swap a constant',
    at: 'const lookEveryMs = Math.min(everyMs, leaseMs / 2);',
    change: '2 → 3',
    reason: 'how often one that waits looks was chosen',
  },
  {
    file: 'worker/reconcile.ts',
    operator: 'swap a constant',
    at: 'const FIRST_LOOK_MS = 24 * 3_600_000;',
    change: '24 → 25',
    reason: 'how far the first look goes back was chosen',
  },
  {
    file: 'gateways/calendar/own/calendar.ts',
    operator: 'swap a constant',
    at: "const filter = { patientId, status: 'booked', from: startsAt, until, limit: 1 } as const;",
    change: '1 → 2',
    reason: 'the first alone is taken',
  },
  {
    file: 'workflows/deliver-events.ts',
    operator: 'swap a constant',
    at: 'let isChanged = true;',
    change: 'true → false',
    reason: 'the loop sets it before it is read',
  },
  {
    file: 'dashboard/pages/operations/results-chart.tsx',
    operator: 'swap a constant',
    at: 'tabIndex={index === 0 ? 0 : -1}',
    change: '1 → 2',
    reason: 'any tab index below zero is the same, and the arrow keys set it themselves',
  },
  {
    file: 'gateways/clinic-api/clinic-api-auth.ts',
    operator: 'swap a constant',
    at: 'const DEFAULT_LIFE_SECONDS = 300;',
    change: '300 → 301',
    reason: 'how long a token lives that does not say so was chosen',
  },
  {
    file: 'gateways/calendar/fhir/live-ehr.ts',
    operator: 'drop a statement',
    at: 'return null;',
    change: 'return null; → nothing',
    reason: 'nobody reads to what a cancellation comes',
  },
  {
    file: 'gateways/sign-on/identity-provider.ts',
    operator: 'swap a constant',
    at: 'idTokenExpected: true,',
    change: 'true → false',
    reason: 'with a nonce an id token is expected by itself',
  },
  {
    file: 'gateways/calendar/fhir/live-ehr.ts',
    operator: 'swap a word',
    at: "status: 'booked',",
    change: "'booked' → 'cancelled'",
    reason: 'the state of the notice is not read, and the resource has its own',
  },
  {
    file: 'api/openapi/examples.ts',
    operator: 'swap a constant',
    at: "'PUT /integrations/outbound/endpoints/:endpointId': { ...warehouse, enabled: false },",
    change: 'false → true',
    reason: 'either is a valid example',
  },
  {
    file: 'prisma/stores/patients/proposals.ts',
    operator: 'drop an operand',
    at: 'where clinic_id = ${clinicId} and id = ${id}`;',
    change: 'clinic_id = ${clinicId} and → nothing',
    reason: 'what is found is closed by clinic, call and patient, and read by the clinic',
  },
  {
    file: 'prisma/stores/patients/patient-exports.ts',
    operator: 'swap a word',
    at: "isolationLevel: 'RepeatableRead',",
    change: "'RepeatableRead' → 'Serializable'",
    reason: 'either reads one state, and nothing that only reads is in another way',
  },
  {
    file: 'dashboard/lists/record-list.tsx',
    operator: 'swap a constant',
    at: 'const { table, widths, keep } = useKeptWidths(rows?.length ?? 0);',
    change: '0 → 1',
    reason: 'it counts before there are rows alone, and one is always kept',
  },
  {
    file: 'dashboard/forms/editable.tsx',
    operator: 'drop an element',
    at: 'useEffect(() => setUnsaved(isDirty), [isDirty, setUnsaved]);',
    change: ', setUnsaved → nothing',
    reason: 'what sets a state is always the same',
  },
  {
    file: 'dashboard/pages/calendar/providers.tsx',
    operator: 'swap a constant',
    at: 'const key = Math.max(-1, ...items.map((each) => each.key)) + 1;',
    change: '1 → 2',
    reason: 'keys have to differ, and no more',
  },
  {
    file: 'dashboard/forms/editable.tsx',
    operator: 'swap a constant',
    at: 'const [isOver, setOver] = useState(false);',
    change: 'false → true',
    reason: 'it begins again with the same before anything is drawn',
  },
  {
    file: 'dashboard/parts/states.tsx',
    operator: 'swap a constant',
    at: '<Skeleton key={index} height={18} width={`${92 - ((index * 13) % 40)}%`} />',
    change: '40 → 41',
    reason: 'how wide what is not there yet is drawn was chosen',
  },
  {
    file: 'dashboard/pages/patients/register-patient.tsx',
    operator: 'swap a constant',
    at: 'const [settled] = useDebouncedValue(form.values, 250);',
    change: '250 → 251',
    reason: 'how long is waited for the next letter was chosen',
  },
  {
    file: 'gateways/calendar/own/calendar.ts',
    operator: 'swap a constant',
    at: 'const until = new Date(Date.parse(startsAt) + 1).toISOString();',
    change: '1 → 2',
    reason: 'no visit begins a millisecond after another',
  },
  {
    file: 'sandbox/tokens.ts',
    operator: 'flip a comparison',
    at: "if (!found || found.endsAt <= new Date()) throw new AppError('unauthorized', 'The token is unknown or has ended');",
    change: '<= → <',
    reason: 'the very instant is never seen',
  },
  {
    file: 'sandbox/routes/smart.ts',
    operator: 'swap a constant',
    at: "const token = `${SMART_TOKEN}${randomBytes(32).toString('base64url')}`;",
    change: '32 → 33',
    reason: 'a longer token is as good',
  },
  {
    file: 'worker/relay.ts',
    operator: 'swap a constant',
    at: 'let expiredAt = 0;',
    change: '0 → 1',
    reason: 'no clock shows so early an instant',
  },
  {
    file: 'worker/duty.ts',
    operator: 'swap a constant',
    at: 'await rest(leaseMs / 3, lost.signal);',
    change: '3 → 4',
    reason: 'how often a lease is prolonged was chosen',
  },
  {
    file: 'worker/mail-tasks.ts',
    operator: 'swap a constant',
    at: "return startDuty({ name: 'mail', duties, everyMs, leaseMs: 2 * EVERY_MS, log, onPass, pass });",
    change: '2 → 3',
    reason: 'how long a lease lasts was chosen',
  },
  {
    file: 'commands/command-line.ts',
    operator: 'swap a constant',
    at: 'options: Parameters<typeof openDatabase>[1] = { poolSize: 2 },',
    change: '2 → 3',
    reason: 'how many connections a command has was chosen',
  },
];

/** What a constant's name, or how it is read, says of all of its kind. */
const constants: { at: RegExp; change: RegExp; reason: string }[] = [
  {
    at: /\bconst (\w+_)?(AT_ONCE|BATCH|A_PAGE|PAGE_SIZE) = \d+;/,
    change: /^\d+ → \d+$/,
    reason: 'how many are taken at once was chosen, and all are in the end',
  },
  { at: /\bconst \w+_MS = \d{1,3};/, change: /^\d+ → \d+$/, reason: 'a wait of a millisecond more' },
  { at: /\?\.count \?\? 0\b/, change: /^0 → 1$/, reason: 'a count always gives a row' },
  { at: /\bfor \(let tries = 1; ;/, change: /^1 → 2$/, reason: 'how often a lost race is tried again was chosen' },
];

/** Beside an id by which rows are joined: the clinic is there as a rule of the house. */
const clinicBesideAnId = /^(and )?\w+\.clinic_id = \w+\.clinic_id( and)? → nothing$/i;

/** PostgreSQL's clock counts microseconds. */
const isInstant = ({ operator, start, end }: Mutant, text: string): boolean =>
  operator === 'flip a comparison' &&
  (/^ ?now\(\) [-+] /.test(text.slice(end, end + 10)) ||
    (/^ ?now\(\)/.test(text.slice(end, end + 7)) &&
      /\b((expires|ends|retires|look|next_\w+)_at|\w+_(until|from|after)) ?$/.test(text.slice(start - 40, start))));

/** Why a mutant is none; null where it is one. */
export function reasonAgainst(mutant: Mutant, text: string): string | null {
  if (isInstant(mutant, text)) return 'the very instant is never seen';
  if (
    clinicBesideAnId.test(changeOf(mutant, text)) &&
    /\b(on|where|and) \w+\.clinic_id = .* and \w+\.(id = |\w+_id = \w+\.id\b)/i.test(mutant.at)
  )
    return 'an id is of one clinic';
  if (/\blimit (\+ 1|\$\{limit \+ 1\})/.test(mutant.at) && changeOf(mutant, text) === '1 → 2')
    return 'a page is cut at its limit; one more says that there are others';
  if (changeOf(mutant, text) === "'utf8' → 'utf-8'") return 'two names of one encoding';
  if (mutant.operator === 'swap a constant' && /\bbackoffCoefficient: $/.test(text.slice(0, mutant.start)))
    return 'how much longer each wait is was chosen';
  const statement = text.slice(text.lastIndexOf('\nCREATE ', mutant.start) + 1);
  if (isSql(mutant.file) && statement.startsWith('CREATE INDEX')) return 'an index of other rows finds the same';
  const ofItsKind = constants.find(
    ({ at, change }) =>
      mutant.operator === 'swap a constant' && at.test(mutant.at) && change.test(changeOf(mutant, text)),
  );
  if (ofItsKind) return ofItsKind.reason;
  const found = equivalents.find(
    ({ file, operator, at, change }) =>
      file === mutant.file && operator === mutant.operator && at === mutant.at && change === changeOf(mutant, text),
  );
  return found?.reason ?? null;
}
