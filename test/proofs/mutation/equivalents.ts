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
];

/** In a join beside an id: the clinic is there as a rule of the house. */
const clinicBesideAnId = /^\w+\.clinic_id = \w+\.clinic_id and → nothing$/i;

/** Why a mutant is none; null where it is one. */
export function reasonAgainst(mutant: Mutant, text: string): string | null {
  if (clinicBesideAnId.test(changeOf(mutant, text)) && /\bon \w+\.clinic_id = .* and \w+\.id = /i.test(mutant.at))
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
