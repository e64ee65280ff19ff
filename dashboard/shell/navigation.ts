import {
  type Icon,
  IconBuildingHospital,
  IconCalendarWeek,
  IconChartBar,
  IconChecklist,
  IconCheckupList,
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
import type { Right } from '#parts';
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
  right: Right;
}

/** How the clinic works, by address below `/clinic`. */
export const clinicAreas: Area[] = [
  { area: 'hours', label: t`Hours`, right: 'settings' },
  { area: 'providers', label: t`Providers`, right: 'settings' },
  { area: 'calling', label: t`Calling policy`, right: 'settings' },
  { area: 'opt-outs', label: t`Opt-outs`, right: 'patients.read' },
  { area: 'people', label: t`People`, right: 'people' },
  { area: 'retention', label: t`What is kept`, right: 'settings' },
];

/** How the clinic's systems and this service reach each other, by address below `/connections`. */
export const connectionAreas: Area[] = [
  { area: 'sandbox', label: t`Sandbox`, right: 'sandbox' },
  { area: 'api-keys', label: t`API keys`, right: 'keys' },
  { area: 'inbound', label: t`Inbound events`, right: 'settings' },
  { area: 'outbound', label: t`Outbound events`, right: 'settings' },
  { area: 'approved-api', label: t`Your API`, right: 'settings' },
  { area: 'crm', label: 'CRM', right: 'settings' },
  { area: 'voice', label: t`Voice`, right: 'settings' },
  { area: 'phone-numbers', label: t`Phone numbers`, right: 'settings' },
];

const rightsOf = (areas: readonly Area[]) => areas.map(({ right }) => right);

/** The pages of the dashboard, in the order of a day's work. */
export const destinations: { group: string; items: Destination[] }[] = [
  {
    group: t`Today`,
    items: [
      { to: '/', label: t`Overview`, icon: IconLayoutDashboard, rights: ['workflows'] },
      { to: '/cases', label: t`Recovery cases`, icon: IconProgressHelp, rights: ['workflows'] },
      { to: '/calls', label: t`Calls`, icon: IconPhone, rights: ['workflows'] },
      { to: '/queue', label: t`Queue`, icon: IconListNumbers, rights: ['workflows'] },
      { to: '/tasks', label: t`Tasks`, icon: IconChecklist, rights: ['tasks'] },
      { to: '/results', label: t`Results`, icon: IconChartBar, rights: ['results'] },
    ],
  },
  {
    group: t`Records`,
    items: [
      { to: '/patients', label: t`Patients`, icon: IconUsers, rights: ['patients.read'] },
      { to: '/calendar', label: t`Calendar`, icon: IconCalendarWeek, rights: ['appointments.read'] },
    ],
  },
  {
    group: t`Set-up`,
    items: [
      { to: '/clinic', label: t`Clinic`, icon: IconBuildingHospital, rights: rightsOf(clinicAreas) },
      { to: '/connections', label: t`Connections`, icon: IconPlugConnected, rights: rightsOf(connectionAreas) },
    ],
  },
  {
    group: t`Operation`,
    items: [
      { to: '/runs', label: t`Runs`, icon: IconRoute, rights: ['workflows'] },
      { to: '/deliveries', label: t`Deliveries`, icon: IconSend, rights: ['deliveries'] },
      { to: '/try-it', label: t`Try it`, icon: IconFlask, rights: ['sandbox'] },
      { to: '/readiness', label: t`Readiness`, icon: IconCheckupList, rights: ['sandbox'] },
      { to: '/audit', label: t`Audit`, icon: IconHistory, rights: ['audit'] },
    ],
  },
];

/** The pages that an account may see, in the same order. */
export const destinationsFor = (may: (right: Right) => boolean): typeof destinations =>
  destinations
    .map(({ group, items }) => ({ group, items: items.filter(({ rights }) => rights.some(may)) }))
    .filter(({ items }) => items.length > 0);
