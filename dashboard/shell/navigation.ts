import {
  type Icon,
  IconBuildingHospital,
  IconCalendarWeek,
  IconChartBar,
  IconChecklist,
  IconClipboardText,
  IconInbox,
  IconCheckupList,
  IconFlag,
  IconFlask,
  IconHistory,
  IconLayoutDashboard,
  IconListNumbers,
  IconPhone,
  IconPlugConnected,
  IconProgressHelp,
  IconRoute,
  IconSend,
  IconUsers,
} from '#icons';
import type { AccountRole, Right, Role } from '#parts';
import { t } from '#texts';

export interface Destination {
  to: string;
  label: string;
  icon: Icon;
  /** One of them opens it. */
  rights: readonly Right[];
}

export interface Area {
  area: string;
  label: string;
  /** Among pages of the same name. */
  fullName?: string;
  /** Whoever may read it sees it; what only some may change is disabled for the others. */
  right: Right;
}

/** How the clinic works, by address below `/clinic`. */
export const clinicAreas: Area[] = [
  { area: 'hours', label: t`Hours`, right: 'settings.read' },
  { area: 'providers', label: t`Providers`, right: 'settings.read' },
  { area: 'calling', label: t`Calling policy`, right: 'settings.read' },
  { area: 'opt-outs', label: t`Opt-outs`, right: 'patients.read' },
  { area: 'people', label: t`People`, right: 'people' },
  { area: 'single-sign-on', label: t`Single sign-on`, right: 'people' },
  {
    area: 'results',
    label: t`Results`,
    fullName: t`Results: currency and goals`,
    right: 'settings.read',
  },
  { area: 'retention', label: t`Retention`, right: 'settings.read' },
];

/** How the clinic's systems and this service reach each other, by address below `/connections`. */
export const connectionAreas: Area[] = [
  { area: 'sandbox', label: t`Sandbox`, right: 'sandbox' },
  { area: 'api-keys', label: t`API keys`, right: 'settings.read' },
  { area: 'inbound', label: t`Inbound events`, right: 'settings.read' },
  { area: 'outbound', label: t`Outbound events`, right: 'settings.read' },
  { area: 'approved-api', label: t`Your EHR or API`, right: 'settings.read' },
  { area: 'crm', label: 'CRM', right: 'settings.read' },
  { area: 'voice', label: t`Voice`, right: 'settings.read' },
  { area: 'phone-numbers', label: t`Phone numbers`, right: 'settings.read' },
];

const rightsOf = (areas: readonly Area[]) => areas.map(({ right }) => right);

/** The pages that a navigation leads to. */
const pages = {
  overview: { to: '/', label: t`Overview`, icon: IconLayoutDashboard, rights: ['workflows'] },
  myDay: { to: '/my-day', label: t`My day`, icon: IconFlag, rights: ['tasks'] },
  calendar: { to: '/calendar', label: t`Calendar`, icon: IconCalendarWeek, rights: ['appointments.read'] },
  dayList: { to: '/day-list', label: t`Day list`, icon: IconClipboardText, rights: ['appointments.read'] },
  waitlist: { to: '/waitlist', label: t`Waitlist`, icon: IconInbox, rights: ['appointments.read'] },
  patients: {
    to: '/patients',
    label: t`Patients`,
    icon: IconUsers,
    rights: ['patients.read'],
  },
  tasks: { to: '/tasks', label: t`Tasks`, icon: IconChecklist, rights: ['tasks'] },
  results: { to: '/results', label: t`Results`, icon: IconChartBar, rights: ['results'] },
  cases: {
    to: '/cases',
    label: t({ message: 'Recovery cases', context: 'in the navigation' }),
    icon: IconProgressHelp,
    rights: ['workflows'],
  },
  calls: { to: '/calls', label: t`Calls`, icon: IconPhone, rights: ['workflows'] },
  queue: { to: '/queue', label: t`Queue`, icon: IconListNumbers, rights: ['workflows'] },
  clinic: { to: '/clinic', label: t`Clinic`, icon: IconBuildingHospital, rights: rightsOf(clinicAreas) },
  connections: {
    to: '/connections',
    label: t`Connections`,
    icon: IconPlugConnected,
    rights: rightsOf(connectionAreas),
  },
  tryIt: { to: '/try-it', label: t`Try it`, icon: IconFlask, rights: ['sandbox'] },
  readiness: { to: '/readiness', label: t`Readiness`, icon: IconCheckupList, rights: ['sandbox'] },
  runs: { to: '/runs', label: t`Runs`, icon: IconRoute, rights: ['workflows'] },
  deliveries: {
    to: '/deliveries',
    label: t`Deliveries`,
    icon: IconSend,
    rights: ['deliveries'],
  },
  audit: { to: '/audit', label: t`Audit`, icon: IconHistory, rights: ['audit'] },
} as const satisfies Record<string, Destination>;
type PageName = keyof typeof pages;

interface Navigation {
  /** What the role works with every day comes first and needs no title. */
  groups: { title?: string; pages: PageName[] }[];
  /** What it needs now and then, folded. */
  more: PageName[];
}

const recovery = {
  title: t({ message: 'Recovery', context: 'the pages about calls' }),
  pages: ['cases', 'calls', 'queue'] satisfies PageName[],
};

/** Where each role works. Rights decide what a role may open; this decides what is put in front of it. */
const navigations: Record<Role, Navigation> = {
  staff: {
    groups: [{ pages: ['myDay', 'calendar', 'dayList', 'patients', 'tasks', 'waitlist'] }],
    more: ['calls', 'cases', 'queue', 'clinic'],
  },
  manager: {
    groups: [
      { pages: ['overview', 'results'] },
      { title: t`Front desk`, pages: ['myDay', 'calendar', 'dayList', 'patients', 'tasks', 'waitlist'] },
      recovery,
    ],
    more: ['clinic', 'deliveries'],
  },
  auditor: { groups: [{ pages: ['audit'] }], more: [] },
  admin: {
    groups: [
      { pages: ['overview', 'results'] },
      { title: t`Front desk`, pages: ['myDay', 'calendar', 'dayList', 'patients', 'tasks', 'waitlist'] },
      recovery,
      { title: t`Set-up`, pages: ['clinic', 'connections', 'tryIt', 'readiness'] },
      { title: t`Monitoring`, pages: ['runs', 'deliveries', 'audit'] },
    ],
    more: [],
  },
};

type May = (right: Right) => boolean;

const allowed = (names: readonly PageName[], may: May): Destination[] =>
  names.map((name): Destination => pages[name]).filter(({ rights }) => rights.some(may));

/** The one page of those who run the service, who have no right in a clinic. */
const operators: Destination = { to: '/operator', label: t`All clinics`, icon: IconBuildingHospital, rights: [] };

/** What a role is led to, as far as its rights open it. */
export function navigationFor(role: AccountRole, may: May) {
  if (role === 'operator') return { groups: [{ title: undefined, items: [operators] }], more: [] };
  const { groups, more } = navigations[role];
  return {
    groups: groups
      .map(({ title, pages: names }) => ({ title, items: allowed(names, may) }))
      .filter(({ items }) => items.length > 0),
    more: allowed(more, may),
  };
}

/** The pages that an account may open, whether its navigation shows them or not. */
export const destinationsFor = (may: May): Destination[] => allowed(Object.keys(pages) as PageName[], may);
