import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { type Right, labelOf, useMay, useZone, workflowName } from '#parts';
import { t } from '#texts';
import { bornOn, formatDay, nameOf, usePhone } from '#words';
import { registerLabel } from '../pages/patients/registering';
import { clinicAreas, connectionAreas, destinationsFor } from './navigation';

/** Something that was found: where it is, or what it does. */
export interface Hit {
  key: string;
  title: string;
  note: string;
  /** An address, or the dialog in which whom nobody matches is registered. */
  opens: { to: string } | { registers: string };
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

/** What the service finds, and the actions and pages of the dashboard whose name has these words. */
export function useFound(text: string): { groups: FoundGroup[]; isSearching: boolean } {
  const may = useMay();
  const isAsked = text.length >= 2;
  const service = useFoundByService(text, isAsked);
  const near: FoundGroup[] = [
    { name: t`Actions`, hits: actionsNamed(text, may) },
    { name: t`Pages`, hits: isAsked ? pagesNamed(text, may) : [] },
  ];
  const groups = isAsked ? [...service.first, ...near, ...service.groups] : near;
  return {
    groups: groups.filter(({ hits, error }) => hits.length > 0 || error),
    isSearching: isAsked && service.isSearching,
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
  const patients = useQuery({ ...api.getPatientsOptions({ query }), ...asks('patients.read') });
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

  const people: Hit[] = (patients.data?.items ?? []).map((patient) => ({
    key: `patient-${patient.id}`,
    title: nameOf(patient),
    note: [
      patient.phone && written(patient.phone),
      patient.dateOfBirth && t`born ${bornOn(patient.dateOfBirth)}`,
      patient.isSimilar && t`similar name`,
      patient.registrationStatus === 'ACTION_REQUIRED' && t`known only from a form or call`,
    ]
      .filter(Boolean)
      .join(', '),
    opens: { to: `/patients/${patient.id}` },
  }));
  const registers: Hit[] =
    may('patients') && patients.data && !mayBeId
      ? [
          {
            key: 'register',
            title: registerLabel(text, patients.data.items),
            note: t`As a new patient`,
            // With the dates that the service has read in it.
            opens: { registers: patients.data.searchedFor ?? text },
          },
        ]
      : [];
  const groups: FoundGroup[] = [
    { name: t`Patients`, hits: people, error: patients.error },
    {
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
    },
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
        note: `${workflowName(call.workflowType)}, ${opened(call.createdAt)}`,
        opens: { to: `/calls/${call.id}` },
      })),
      error: calls.error,
    },
    // After all that was found: Enter opens the first.
    { name: t`New patient`, hits: registers },
  ];
  const byId: FoundGroup = {
    name: t`By its id`,
    hits: found
      ? [{ key: `id-${found.id}`, ...kinds[found.kind], opens: { to: `/${addresses[found.kind]}/${found.id}` } }]
      : [],
    error: record.error,
  };
  const asked = [patients, cases, calls, providers, optOuts, record];
  return { first: [byId], groups, isSearching: asked.some(({ isLoading }) => isLoading) };
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

const actions: { right: Right; title: string; note: string; opens: Hit['opens'] }[] = [
  {
    right: 'appointments',
    title: t`Book an appointment`,
    note: t`In the calendar`,
    opens: { to: '/calendar?book=new' },
  },
  { right: 'patients', title: t`Register a patient`, note: t`A walk-in or a caller`, opens: { registers: '' } },
  { right: 'patients', title: t`Stop calling a number`, note: t`Opt-outs`, opens: { to: '/clinic/opt-outs' } },
  { right: 'operations', title: t`Pause calls`, note: t`Calling policy`, opens: { to: '/clinic/calling' } },
];

const actionsNamed = (text: string, may: (right: Right) => boolean): Hit[] =>
  actions
    .filter(({ right, title }) => may(right) && (text === '' || isNamed(title, text)))
    .map(({ title, note, opens }) => ({ key: `action-${title}`, title, note, opens }));

const pagesNamed = (text: string, may: (right: Right) => boolean): Hit[] =>
  [...destinationsFor(may), ...settings.filter(({ right }) => may(right))]
    .filter(({ label }) => isNamed(label, text))
    .map(({ to, label }) => ({ key: `page-${to}`, title: label, note: t`Page`, opens: { to } }));

const settings = [
  ...clinicAreas.map(({ area, ...rest }) => ({ to: `/clinic/${area}`, ...rest })),
  ...connectionAreas.map(({ area, ...rest }) => ({ to: `/connections/${area}`, ...rest })),
];

/** Whether each word of the text begins a word of the name. */
function isNamed(name: string, text: string): boolean {
  const words = name.toLowerCase().split(/[\s.-]+/);
  return text
    .toLowerCase()
    .split(/[\s.]+/)
    .filter(Boolean)
    .every((typed) => words.some((word) => word.startsWith(typed)));
}
