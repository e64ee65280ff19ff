import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { formatTotal, searchState } from '#lists';
import { callSubject, type Right, labelOf, useMay, useZone } from '#parts';
import { t } from '#texts';
import { bornOn, formatDay, formatTime, nameOf, usePhone } from '#words';
import { languageNames, language, languages, type Language } from '../language';
import { registerLabel } from '../pages/patients/registering';
import { typedPerson } from '../pages/patients/typed-person';
import { clinicAreas, connectionAreas, destinationsFor } from './navigation';

/** Something that was found: where it is, or what it does. */
export interface Hit {
  key: string;
  title: string;
  note: string;
  /** An address, another one in a tab of its own, the dialog in which whom nobody matches is registered, the shortcuts, what a button of the page does, or the dashboard in another language. */
  opens:
    | { to: string; state?: unknown }
    | { tab: string }
    | { registers: string }
    | { shortcuts: true }
    | { presses: HTMLElement }
    | { speaks: Language };
}

/** What was found of one kind, or why the service could not look for it. */
export interface FoundGroup {
  name: string;
  hits: Hit[];
  error?: unknown;
}

const perGroup = 5;
/** Shorter than any id, longer than what people type as a name. */
const shortestId = 16;
/** With fewer digits it is no phone that could be on the list of opt-outs. */
const shortestPhone = 7;
/** With so many it is one to be called, of any country that is likely here. */
const wholePhone = 9;

interface Found {
  groups: FoundGroup[];
  isSearching: boolean;
  /** Nothing that is still on its way can come before the first hit. */
  isFirstKnown: boolean;
}

/** What the service finds, and the actions and pages of the dashboard whose name, or another word for them, begins so. */
export function useFound(text: string): Found {
  const may = useMay();
  const isAsked = text.length >= 2;
  const service = useFoundByService(text, isAsked);
  const near: FoundGroup[] = [
    { name: t`Actions`, hits: byName(actionsNamed(text, may), text) },
    { name: t`Pages`, hits: isAsked ? byName(pagesNamed(text, may), text) : [] },
  ].toSorted((one, other) => nearest(one.hits, text) - nearest(other.hits, text));
  // Whose page is open is who is meant: its actions come first; those that are found by another word alone come after what is called so.
  const here: FoundGroup = { name: t`On this page`, hits: byName(offeredByPage(text), text) };
  const isHere = here.hits.some(({ title }) => text === '' || isNamed(title, text));
  const before = isHere ? 0 : near.filter(({ hits }) => hits.some(({ title }) => isNamed(title, text))).length;
  near.splice(before, 0, here);
  const isNearByName = near.some(({ hits }) => hits.some(({ title }) => isNamed(title, text)));
  // Who is called Holiday comes before the page with the holidays, and not before one that is called so.
  const found = isNearByName || !service.isSomebodyNamed ? [...near, ...service.groups] : [...service.groups, ...near];
  const groups = isAsked ? [...service.first, ...found] : near;
  return {
    groups: groups.filter(({ hits, error }) => hits.length > 0 || error),
    isSearching: isAsked && service.isSearching,
    isFirstKnown: !isAsked || (!service.isFirstSearching && (isNearByName || !service.arePeopleSearching)),
  };
}

function useFoundByService(text: string, isAsked: boolean) {
  const zone = useZone();
  const may = useMay();
  const written = usePhone();
  const query = { search: text, limit: perGroup };
  const mayBeId = text.length >= shortestId && !/\s/.test(text);
  const mayBePhone = text.replaceAll(/\D/g, '').length >= shortestPhone;
  // What fails is said at once: the next letter asks again.
  const asks = (right: Right, isWanted = true) => ({ enabled: isAsked && isWanted && may(right), retry: false });
  const patients = useQuery({
    ...api.getPatientsOptions({ query: { ...query, total: 'true' } }),
    ...asks('patients.read'),
  });
  const cases = useQuery({ ...api.getCasesOptions({ query }), ...asks('workflows') });
  const calls = useQuery({ ...api.getCallsOptions({ query }), ...asks('workflows') });
  const providers = useQuery({ ...api.getProvidersOptions(), ...asks('appointments.read'), staleTime: 60_000 });
  const optOuts = useQuery({
    ...api.getIntegrationsOptOutsOptions({ query }),
    ...asks('patients.read', mayBePhone),
  });
  const record = useQuery({ ...api.getLookupOptions({ query: { id: text } }), ...asks('dashboard', mayBeId) });
  const opened = (at: string) => formatDay(at, zone, 'numeric');
  const found = mayBeId ? record.data?.found : null;

  const onFile = patients.data?.items ?? [];
  const isAlike = (one: api.ListedPatient) =>
    onFile.some(
      (other) =>
        other.id !== one.id &&
        nameOf(other) === nameOf(one) &&
        (other.dateOfBirth === one.dateOfBirth || other.phone === one.phone),
    );
  const people: Hit[] = onFile.map((patient) => ({
    key: `patient-${patient.id}`,
    title: nameOf(patient),
    note: [
      patient.phone && written(patient.phone),
      patient.dateOfBirth && t`born ${bornOn(patient.dateOfBirth)}`,
      patient.isSimilar && t`similar name`,
      isAlike(patient) && t`perhaps twice on record, since ${opened(patient.createdAt)}`,
      patient.registrationStatus === 'ACTION_REQUIRED' && t`known only from a form or call`,
    ]
      .filter(Boolean)
      .join(', '),
    opens: { to: `/patients/${patient.id}` },
  }));
  const { total, nextCursor } = patients.data ?? {};
  const all: Hit[] =
    nextCursor && total
      ? [
          {
            key: 'patients-all',
            title: t`All ${formatTotal(total)} in Patients`,
            note: t`More than are shown here`,
            opens: { to: '/patients', state: searchState(text) },
          },
        ]
      : [];
  // With the dates that the service has read in it.
  const typed = patients.data?.searchedFor ?? text;
  // A whole number that nobody has is a new caller's; a date alone is nobody's.
  const isNumber = typedPerson(typed).phone.replaceAll(/\D/g, '').length >= wholePhone;
  const isPerson = holdsName(typed) || (isNumber && onFile.length === 0);
  const isNew = may('patients') && patients.data && !mayBeId && isPerson && !isWordOfDashboard(text);
  const registers: FoundGroup = {
    name: t`New patient`,
    hits: isNew
      ? [
          {
            key: 'register',
            title: registerLabel(text, onFile),
            note: t`As a new patient`,
            opens: { registers: typed },
          },
        ]
      : [],
  };
  const ofPatients: FoundGroup = { name: t`Patients`, hits: [...people, ...all], error: patients.error };
  const ofProviders: FoundGroup = {
    name: t`Providers`,
    hits: (providers.data?.items ?? [])
      .filter(({ displayName }) => isNamed(displayName, text))
      .slice(0, perGroup)
      .map(({ name, displayName }) => ({
        key: `provider-${name}`,
        title: displayName,
        note: t`Calendar`,
        opens: { to: `/calendar?provider=${encodeURIComponent(name)}` },
      })),
    error: providers.error,
  };
  const groups: FoundGroup[] = [
    ofPatients,
    ofProviders,
    {
      name: t`Opt-outs`,
      hits: (optOuts.data?.items ?? []).map(({ id, phone, createdAt }) => ({
        key: `opt-out-${id}`,
        title: written(phone),
        note: t`Not called since ${opened(createdAt)}`,
        opens: { to: '/clinic/opt-outs' },
      })),
      error: optOuts.error,
    },
    {
      name: t`Recovery cases`,
      hits: (cases.data?.items ?? []).map((each) => ({
        key: `case-${each.recoveryCaseId}`,
        title: nameOf(each.patient),
        note: t`${labelOf(each.recoveryStatus)}, opened ${opened(each.createdAt)}${each.formName ? `, ${each.formName}` : ''}`,
        opens: { to: `/cases/${each.recoveryCaseId}` },
      })),
      error: cases.error,
    },
    {
      name: t`Calls`,
      hits: (calls.data?.items ?? []).map((call) => ({
        key: `call-${call.id}`,
        title: nameOf(call.patient),
        note: `${callSubject(call.workflowType, call.formName)}, ${opened(call.createdAt)}, ${formatTime(call.createdAt, zone)}`,
        opens: { to: `/calls/${call.id}` },
      })),
      error: calls.error,
    },
    // After all that was found: Enter opens the first.
    registers,
  ];
  const byId: FoundGroup = {
    name: t`By its id`,
    hits: found
      ? [{ key: `id-${found.id}`, ...kinds[found.kind], opens: { to: `/${addresses[found.kind]}/${found.id}` } }]
      : [],
    error: record.error,
  };
  const asked = [patients, cases, calls, providers, optOuts, record];
  return {
    first: [byId],
    groups,
    isSomebodyNamed: onFile.some(({ isSimilar }) => !isSimilar) || ofProviders.hits.length > 0,
    isSearching: asked.some(({ isLoading }) => isLoading),
    isFirstSearching: mayBeId && record.isLoading,
    arePeopleSearching: patients.isLoading || providers.isLoading,
  };
}

type FoundKind = NonNullable<api.GetLookupResponse['found']>['kind'];

const addresses: Record<FoundKind, string> = {
  case: 'cases',
  call: 'calls',
  patient: 'patients',
  delivery: 'deliveries',
};
const kinds: Record<FoundKind, { title: string; note: string }> = {
  case: { title: t`Recovery case`, note: t`With this id` },
  call: { title: t`Call`, note: t`With this id` },
  patient: { title: t`Patient`, note: t`With this id` },
  delivery: { title: t`Delivery`, note: t`With this id` },
};

const actions: { right: Right; title: string; note: string; opens: Hit['opens']; words?: string }[] = [
  {
    right: 'appointments',
    title: t`Book an appointment`,
    note: t`In the calendar`,
    opens: { to: '/calendar?book=new' },
  },
  { right: 'patients', title: t`Register a patient`, note: t`A walk-in or a caller`, opens: { registers: '' } },
  { right: 'patients', title: t`Stop calling a number`, note: t`Opt-outs`, opens: { to: '/clinic/opt-outs' } },
  {
    right: 'operations',
    title: t`Pause or resume calls`,
    note: t`Calling policy`,
    opens: { to: '/clinic/calling?pause=new' },
  },
];

/** What is not offered before it is asked for. */
const furtherActions: typeof actions = [
  { right: 'people', title: t`Invite a person`, note: t`People`, opens: { to: '/clinic/people?add=new' } },
  { right: 'keys', title: t`Create an API key`, note: t`API keys`, opens: { to: '/connections/api-keys?add=new' } },
  {
    right: 'settings',
    title: t`Add an endpoint`,
    note: t`Outbound events`,
    opens: { to: '/connections/outbound?add=new' },
  },
  {
    right: 'dashboard',
    title: t`My account`,
    note: t`Password, second factor, sessions`,
    opens: { to: '/my-account' },
    words: t`password, second factor, passkeys, sessions`,
  },
  { right: 'dashboard', title: t`Keyboard shortcuts`, note: '?', opens: { shortcuts: true }, words: t`help` },
  {
    right: 'dashboard',
    title: t`API reference`,
    note: t`In a new tab`,
    opens: { tab: '/api/docs' },
    words: t`help, documentation`,
  },
];

/** What the languages are called in this one. */
const languageWords: Record<Language, string> = { en: t`language, English`, es: t`language, Spanish` };

const otherLanguages = languages
  .filter((each) => each !== language)
  .map((each) => ({
    right: 'dashboard' as const,
    title: languageNames[each],
    note: t`Language of the dashboard`,
    opens: { speaks: each },
    words: languageWords[each],
  }));

/** What can be done on the page that is open, in its order. */
const offeredByPage = (text: string): Hit[] =>
  [...document.querySelectorAll<HTMLElement>('[data-does]:not(:disabled)')]
    .map((element, index) => ({ element, key: `here-${index}`, told: element.dataset }))
    .filter(({ told: { does = '', foundBy } }) => text === '' || isFoundBy(text, does, foundBy))
    .slice(0, perGroup)
    .map(({ element, key, told: { does = '', about = '' } }) => ({
      key,
      title: does,
      note: about,
      opens: { presses: element },
    }));

const actionsNamed = (text: string, may: (right: Right) => boolean): Hit[] =>
  (text === ''
    ? actions
    : [...actions, ...furtherActions, ...otherLanguages].filter(({ title, words }) => isFoundBy(text, title, words))
  )
    .filter(({ right }) => may(right))
    .map(({ title, note, opens }) => ({ key: `action-${title}`, title, note, opens }));

const pagesNamed = (text: string, may: (right: Right) => boolean): Hit[] =>
  [...destinationsFor(may), ...settings.filter(({ right }) => may(right))]
    .filter(({ label, to }) => isFoundBy(text, label, pageWords[to]))
    .map(({ to, label }) => ({ key: `page-${to}`, title: label, note: t`Page`, opens: { to } }));

/** By what else a page is found, with commas between; here and not with its name, which every page loads. */
const pageWords: Record<string, string> = {
  '/clinic/hours': t`holidays, closed days`,
  '/clinic/providers': t`visit types, working hours, days off`,
  '/clinic/calling': t`calling hours, attempts, pauses`,
  '/clinic/opt-outs': t`do not call, never call, import`,
  '/clinic/people': t`invite, roles, language`,
  '/clinic/results': t`goals, targets`,
  '/clinic/retention': t`erase, delete`,
  '/connections/sandbox': t`clock, snapshots, FHIR, failures, reset`,
  '/connections/api-keys': t`tokens, secrets, rotate`,
  '/connections/inbound': t`webhooks, secrets`,
  '/connections/outbound': t`webhooks, endpoints, signing secrets, rotate, test event`,
  '/connections/approved-api': t`FHIR, EHR, visit types`,
  '/patients': t`erase, export, legal hold, merge`,
  '/try-it': t`scenes, simulator`,
  '/deliveries': t`failed deliveries, dead letters, webhooks`,
};

const settings = [
  ...clinicAreas.map(({ area, label, fullName = label, ...rest }) => ({
    ...rest,
    to: `/clinic/${area}`,
    label: fullName,
  })),
  ...connectionAreas.map(({ area, ...rest }) => ({ to: `/connections/${area}`, ...rest })),
];

/** How far a name is from what was typed: it begins so, a word of it does, or only another word for it. */
function distanceOf(name: string, text: string): number {
  if (!isNamed(name, text)) return 2;
  return wordsOf(name).join('').startsWith(wordsOf(text).join('')) ? 0 : 1;
}

const nearest = (hits: Hit[], text: string): number => Math.min(2, ...hits.map(({ title }) => distanceOf(title, text)));

const byName = (hits: Hit[], text: string): Hit[] =>
  hits.toSorted((one, other) => distanceOf(one.title, text) - distanceOf(other.title, text));

/** Whether it says what somebody is called, besides how they are reached and when they were born. */
const holdsName = (text: string): boolean => text.split(/\s+/).some((word) => /^[^\d@]*\p{L}[^\d@]*$/u.test(word));

const anyRole = () => true;

/** Whether it means something of the dashboard, also what a role may not open: nobody is registered by such a name. */
const isWordOfDashboard = (text: string): boolean =>
  [offeredByPage(text), actionsNamed(text, anyRole), pagesNamed(text, anyRole)].some(({ length }) => length > 0);

const isFoundBy = (text: string, name: string, words = ''): boolean =>
  [name, ...words.split(', ')].some((each) => isNamed(each, text));

/** Whether each word of the text begins a word of the name, or it begins so without its hyphens and spaces. */
function isNamed(name: string, text: string): boolean {
  const [words, typed] = [wordsOf(name), wordsOf(text)];
  if (typed.length === 0) return false;
  const begins = (at: number) => words.slice(at).join('').startsWith(typed.join(''));
  return typed.every((each) => words.some((word) => word.startsWith(each))) || words.some((_, at) => begins(at));
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[\s.-]+/)
    .filter(Boolean);
