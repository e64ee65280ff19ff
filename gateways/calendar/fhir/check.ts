import { z } from 'zod';
import type { FhirCapabilities, FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { ApiFinding } from '@clinic/shared/contracts/events/approved-api-check';
import { OutboundError } from '../../http/safe-http';
import { askFhir, FhirFault, type FhirRequest, type SendFhir } from './exchange';
import { countsThere, timesThere, type Trial } from './check-times';
import { tokenOf } from './identifiers';
import { resourcesOf } from '@clinic/shared/contracts/calendar/fhir-reading';
import type { Ask } from './requests';
import { CapabilityStatement, declaredOf, readIn, takesTransactions } from './statement';

/** What is called here what, so that a gap is seen before a patient meets it. */
export interface NamesHere {
  providers: { name: string; displayName?: string; visitTypes: string[] }[];
}

export interface ApiChecked {
  findings: ApiFinding[];
  capabilities: FhirCapabilities | null;
  /** What the server has said of itself just now; null where it was not asked, or did not say it. */
  declared: unknown;
}

export interface FhirCheckOptions {
  send: SendFhir;
  /** For what the server says of itself, which a large one takes long to write. */
  sendPatiently: SendFhir;
  /** What it said before, which is read again only where something is wrong with it. */
  known?: unknown;
  baseUrl: string;
  settings: FhirSettings;
  names: NamesHere;
  now?: () => Date;
}

/**
 * Says what will work and what will not at a FHIR server, before a patient depends on it: reads what it declares, and tries
 * each row of the mappings by one request. It changes nothing there.
 */
export async function checkFhir(options: FhirCheckOptions): Promise<ApiChecked> {
  const known = CapabilityStatement.safeParse(options.known).data;
  const isGood = known && statementFindings(known, options.settings).every(({ isProblem }) => !isProblem);
  const statement = isGood ? known : await readStatement(options);
  if (!('fhirVersion' in statement)) return { findings: [statement], capabilities: null, declared: null };
  const capabilities = capabilitiesOf(statement);
  const declared = statementFindings(statement, options.settings);
  const gaps = gapFindings(options);
  const tried: ApiFinding[] = [];
  const times = await timesFindings(options, capabilities);
  const rows = [...accessRow(options), ...rowsOf(options, capabilities)];
  const trials: Trial[] = [
    ...rows.map((row) => ({ late: untried(row), run: async () => [await tryRow(options, row)] })),
    ...times.trials,
    ...countsThere(askOf(options), options.settings),
  ];
  const until = performance.now() + MAX_CHECK_MS;
  // A few at a time: a clinic's server is not to be met with hundreds of requests at once.
  for (let first = 0; first < trials.length; first += ROWS_AT_ONCE) {
    const isLate = performance.now() > until;
    const batch = trials.slice(first, first + ROWS_AT_ONCE);
    tried.push(...(await Promise.all(batch.map(async ({ late, run }) => (isLate ? [late] : run())))).flat());
  }
  // What a row or the credentials have said is not told again.
  const isTold = (finding: ApiFinding) =>
    tried.some(({ path, code, isProblem }) => isProblem && (path === finding.path || code === finding.code));
  const more = times.findings.filter((finding) => !isTold(finding));
  return {
    findings: [...declared, ...gaps, ...tried, ...more],
    capabilities,
    declared: isGood ? null : readIn(statement),
  };
}

/** What the server declares, held against the settings. */
function statementFindings(statement: CapabilityStatement, settings: FhirSettings): ApiFinding[] {
  const capabilities = capabilitiesOf(statement);
  return [
    ...versionFindings(statement),
    ...declaredFindings(statement, settings, capabilities),
    ...liveFindings(statement, settings, capabilities),
  ];
}

const ROWS_AT_ONCE = 4;
/** A person waits for the answer. */
const MAX_CHECK_MS = 25_000;

const untried = ({ path, name }: Row): ApiFinding =>
  problem(path, 'not_tried', `${name} was not tried, as the server was too slow; check again`);

const askOf =
  ({ send, baseUrl }: FhirCheckOptions): Ask =>
  (request) =>
    askFhir(send, baseUrl, request);

/** The times of those who are booked with; what cannot be asked is told once. */
async function timesFindings(
  { settings, now = () => new Date(), ...options }: FhirCheckOptions,
  { hasSlots }: FhirCapabilities,
): Promise<{ findings: ApiFinding[]; trials: Trial[] }> {
  if (!hasSlots || !settings.permitted.includes('appointment.book')) return { findings: [], trials: [] };
  try {
    const { findings, trials } = await timesThere(askOf({ settings, ...options }), settings, now());
    return { findings, trials: trials.map((trial) => ({ ...trial, run: () => trial.run().catch(asFinding) })) };
  } catch (error) {
    return { findings: asFinding(error), trials: [] };
  }
}

function asFinding(error: unknown): ApiFinding[] {
  const [code, said] = faultOf(error);
  return [problem('fhir.providers', code, `a search for free times: the server ${said}`)];
}

/** That our credentials open more than the statement, which many servers show to everybody. */
function accessRow({ settings }: FhirCheckOptions): Row[] {
  if (!settings.permitted.some((action) => action !== 'insurance.verify')) return [];
  const query: [string, string][] = [
    ['identifier', tokenOf('patient', 'none')],
    ['_count', '1'],
  ];
  const request: FhirRequest = { method: 'GET', path: 'Patient', template: 'Patient', query };
  return [{ path: 'auth', name: 'A search for patients', type: null, request }];
}

const problem = (path: string, code: ApiFinding['code'], message: string): ApiFinding => ({
  path,
  code,
  message,
  isProblem: true,
});
export const note = (path: string, code: ApiFinding['code'], message: string): ApiFinding => ({
  path,
  code,
  message,
  isProblem: false,
});

async function readStatement({
  sendPatiently: send,
  baseUrl,
}: FhirCheckOptions): Promise<CapabilityStatement | ApiFinding> {
  try {
    const { body } = await askFhir(send, baseUrl, {
      method: 'GET',
      path: 'metadata',
      template: 'metadata',
      // Who has waited that long does not wait three times.
      isIdempotent: false,
    });
    return CapabilityStatement.safeParse(body).data ?? notFhir();
  } catch (error) {
    const [code, said] = faultOf(error);
    // Something answers there, and it is no FHIR server.
    if (error instanceof FhirFault && (error.status === 200 || error.status === 404)) return notFhir();
    return problem(code === 'no_credentials' ? 'auth' : 'baseUrl', code, said);
  }
}

const notFhir = (): ApiFinding =>
  problem(
    'baseUrl',
    'not_fhir',
    'answers /metadata without a CapabilityStatement: at a FHIR server it ends before /metadata, mostly in /r4 or /fhir',
  );

/** What kept a request from being done, as a finding says it. */
export function faultOf(error: unknown): [ApiFinding['code'], string] {
  if (error instanceof OutboundError)
    return error.code === 'unauthorized'
      ? ['no_credentials', error.message]
      : ['unreachable', `cannot be asked: ${error.message}`];
  if (!(error instanceof FhirFault)) throw error;
  const { result, status } = error;
  if (status === 401 || status === 403) return ['no_credentials', `refuses our credentials with ${status}`];
  if (result.kind === 'refused') return ['unknown_there', `answers ${result.fault}`];
  return [
    'unreachable',
    result.kind === 'unavailable' ? `cannot be asked now: ${result.said ?? result.error}` : 'cannot be asked',
  ];
}

function capabilitiesOf(statement: CapabilityStatement): FhirCapabilities {
  const appointment = declaredOf(statement, 'Appointment');
  const canSearch = (type: string) => declaredOf(statement, type).can('search-type');
  return {
    canBook: appointment.hasOperation('book', 'appointment-book'),
    canHold: appointment.hasOperation('hold', 'appointment-hold'),
    hasSlots: canSearch('Slot') && canSearch('Schedule'),
    findsAppointments: canSearch('Appointment') && appointment.finds('identifier'),
    showsBusyTimes: canSearch('Appointment') && appointment.finds('actor') && appointment.finds('date'),
    marksSlots: takesTransactions(statement) && declaredOf(statement, 'Slot').can('update'),
  };
}

function versionFindings({ fhirVersion }: CapabilityStatement): ApiFinding[] {
  return fhirVersion.startsWith('4.')
    ? []
    : [problem('baseUrl', 'wrong_version', `speaks FHIR ${fhirVersion}, and not R4 (4.0.1)`)];
}

/** What a permitted action needs, and what it does without. */
function declaredFindings(
  statement: CapabilityStatement,
  { permitted, rescheduling }: FhirSettings,
  capabilities: FhirCapabilities,
): ApiFinding[] {
  const { canBook, hasSlots, findsAppointments } = capabilities;
  const patient = declaredOf(statement, 'Patient');
  const appointment = declaredOf(statement, 'Appointment');
  const canChange = appointment.can('read') && appointment.can('update');
  const isMoving = rescheduling === 'update' || permitted.includes('appointment.cancel');
  const isAboutPatients = permitted.some((action) => action !== 'insurance.verify' && action !== 'appointment.cancel');
  const findings = [
    needs('patient.upsert', patient.can('create'), 'that a Patient can be created'),
    tells(
      'patient.upsert',
      patient.can('create') && !patient.createsOnCondition,
      'the server declares no conditional create: a lost answer can leave a patient twice',
    ),
    needs('appointment.book', canBook || appointment.can('create'), 'that an Appointment can be created, nor $book'),
    tells(
      'appointment.book',
      !hasSlots,
      'the server declares no search for slots: whether a time is free is known only when it refuses it',
    ),
    tells(
      'appointment.book',
      !findsAppointments,
      'appointments cannot be found by identifier: a lost answer can leave one twice',
    ),
    tells('appointment.book', !canBook, guardOf(capabilities)),
    needs(
      'appointment.book',
      canChange || !isMoving,
      'that an Appointment can be read and updated, so nothing can be moved',
    ),
    needs('appointment.cancel', canChange, 'that an Appointment can be read and updated'),
    needs(
      'document.write',
      declaredOf(statement, 'DocumentReference').can('create'),
      'that a DocumentReference can be created',
    ),
    needs(
      'insurance.verify',
      declaredOf(statement, 'CoverageEligibilityRequest').can('create'),
      'that a CoverageEligibilityRequest can be created',
    ),
  ];
  const found = findings.flatMap(({ action, isFound, ...rest }) => {
    const place = permitted.indexOf(action);
    return isFound && place >= 0 ? [{ ...rest, path: `fhir.permitted.${place}` }] : [];
  });
  if (!isAboutPatients || patient.can('search-type')) return found;
  const cannotFind = 'patients cannot be found: the server does not declare a search for Patient';
  return [problem('fhir.permitted', 'cannot_do', cannotFind), ...found];
}

/** What keeps two from one time, at a server without a `$book` of its own. */
function guardOf({ showsBusyTimes = false, marksSlots = false }: FhirCapabilities): string {
  if (!showsBusyTimes)
    return "the practitioners' appointments cannot be searched by actor and date: a slot that the server leaves free can be booked twice";
  const looks =
    'a slot may stay free there when it is booked, so the practitioner’s appointments are looked at before and after';
  return marksSlots ? `${looks}, and the slot is marked as busy in one transaction with the appointment` : looks;
}

type Action = FhirSettings['permitted'][number];

const needs = (action: Action, isDeclared: boolean, what: string) => ({
  action,
  isFound: !isDeclared,
  ...problem('', 'cannot_do', `${action} will not work: the server does not declare ${what}`),
});

const tells = (action: Action, isFound: boolean, what: string) => ({
  action,
  isFound,
  ...note('', 'works_otherwise', what),
});

/** What a call needs of the server while it goes on. */
function liveFindings(
  statement: CapabilityStatement,
  { isLive }: FhirSettings,
  { canBook, hasSlots, findsAppointments, showsBusyTimes = false }: FhirCapabilities,
): ApiFinding[] {
  if (!isLive) return [];
  const appointment = declaredOf(statement, 'Appointment');
  const wanted: [boolean, string][] = [
    [hasSlots, 'a search for Schedule and Slot: no free time could be offered'],
    [findsAppointments, 'a search for Appointment by identifier: after a lost answer nobody would know what is booked'],
    [
      appointment.can('search-type') && appointment.finds('patient') && appointment.finds('date'),
      "a search for Appointment by patient and date: a caller's appointment could not be looked up",
    ],
    [
      canBook || showsBusyTimes,
      "$book, nor a search for Appointment by actor and date: two callers could get one practitioner's time",
    ],
  ];
  return wanted
    .filter(([isMet]) => !isMet)
    .map(([, what]) =>
      problem('fhir.isLive', 'cannot_do', `calls cannot act there: the server does not declare ${what}`),
    );
}

/** The names here that have no row. */
export function missingIn(settings: FhirSettings, { providers }: NamesHere) {
  const mapped = new Set(settings.providers.map(({ name }) => name));
  const coded = new Set(settings.visitTypes.map(({ name }) => name));
  const visitTypes = new Set(providers.flatMap((provider) => provider.visitTypes));
  return {
    providers: providers.map(({ name }) => name).filter((name) => !mapped.has(name)),
    visitTypes: [...visitTypes].filter((name) => !coded.has(name)),
  };
}

/** What has a name here and none there. */
function gapFindings({ settings, names }: FhirCheckOptions): ApiFinding[] {
  if (!settings.permitted.includes('appointment.book')) return [];
  const { providers, visitTypes } = missingIn(settings, names);
  const here = new Set(names.providers.map(({ name }) => name));
  const typesHere = new Set(names.providers.flatMap((provider) => provider.visitTypes));
  return [
    ...settings.providers
      .filter(({ name }) => !here.has(name))
      .map(({ name }) => note('fhir.providers', 'not_here', `${name} is mapped, and is nobody's name here`)),
    ...settings.visitTypes
      .filter(({ name }) => !typesHere.has(name))
      .map(({ name }) => note('fhir.visitTypes', 'not_here', `${name} is mapped, and no provider here has it`)),
    ...providers.map((name) =>
      problem('fhir.providers', 'unmapped', `${name} is not mapped: nothing that is booked with them can be told`),
    ),
    ...visitTypes.map((name) =>
      note('fhir.visitTypes', 'unmapped', `${name} is not mapped: it is told in words alone, without a code`),
    ),
  ];
}

interface Row {
  path: string;
  /** As it is called here. */
  name: string;
  request: FhirRequest | null;
  /** The resource that must come back; null where any answer will do. */
  type: string | null;
}

function rowsOf({ settings, now = () => new Date() }: FhirCheckOptions, { hasSlots }: FhirCapabilities): Row[] {
  const read = (path: string, { name, reference }: { name: string; reference: string }): Row => {
    const [type = ''] = reference.split('/');
    return { path, name, type, request: { method: 'GET', path: reference, template: `${type}/{id}` } };
  };
  const { testPatient } = settings;
  return [
    ...(testPatient ? [read('fhir.testPatient', { name: 'The test patient', reference: testPatient })] : []),
    ...settings.providers.map((row, index) => read(`fhir.providers.${index}.reference`, row)),
    ...settings.locations.map((row, index) => read(`fhir.locations.${index}.reference`, row)),
    ...settings.visitTypes.map(({ name, system, code }, index): Row => {
      const query: [string, string][] = [
        ['service-type', system ? `${system}|${code}` : code],
        ['start', `ge${now().toISOString()}`],
        ['_count', '1'],
      ];
      const request: FhirRequest = { method: 'GET', path: 'Slot', template: 'Slot', query };
      return { path: `fhir.visitTypes.${index}.code`, name, type: 'Slot', request: hasSlots ? request : null };
    }),
  ];
}

/** One real request for a row of the mappings. */
async function tryRow({ send, baseUrl }: FhirCheckOptions, { path, name, type, request }: Row): Promise<ApiFinding> {
  if (request === null) return note(path, 'not_tried', `${name} cannot be tried, as the server has no slots to search`);
  try {
    const { body } = await askFhir(send, baseUrl, request);
    if (type === null) return note(path, 'found', `${name} is permitted`);
    const [resource] = resourcesOf(type, body);
    if (resource) return note(path, 'found', `${name} is ${shownName(resource) ?? `known there as ${request.path}`}`);
    if (type === 'Slot') return note(path, 'not_offered', `${name}: the server has no slot of this code to come`);
    return problem(path, 'unknown_there', `${name}: the server answers without a ${type}`);
  } catch (error) {
    const [code, said] = faultOf(error);
    return problem(path, code, `${name}: the server ${said}`);
  }
}

const HumanName = z.object({
  text: z.string().optional(),
  family: z.string().optional(),
  given: z.array(z.string()).optional(),
});

/** What a practitioner or a location is called there, for a person to compare. */
export function shownName(resource: Record<string, unknown>): string | null {
  const { name } = resource;
  if (typeof name === 'string') return name;
  const human = z.array(HumanName).safeParse(name).data?.[0];
  if (!human) return null;
  return human.text ?? [...(human.given ?? []), human.family].filter(Boolean).join(' ');
}
