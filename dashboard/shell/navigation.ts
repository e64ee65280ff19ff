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
import { t } from '#texts';

export interface Destination {
  to: string;
  label: string;
  icon: Icon;
  isForAdmins?: true;
}

/** The pages of the dashboard, in the order of a day's work. */
export const destinations: { group: string; items: Destination[] }[] = [
  {
    group: t`Today`,
    items: [
      { to: '/', label: t`Overview`, icon: IconLayoutDashboard },
      { to: '/cases', label: t`Recovery cases`, icon: IconProgressHelp },
      { to: '/calls', label: t`Calls`, icon: IconPhone },
      { to: '/queue', label: t`Queue`, icon: IconListNumbers },
      { to: '/tasks', label: t`Tasks`, icon: IconChecklist },
      { to: '/results', label: t`Results`, icon: IconChartBar },
    ],
  },
  {
    group: t`Records`,
    items: [
      { to: '/patients', label: t`Patients`, icon: IconUsers },
      { to: '/calendar', label: t`Calendar`, icon: IconCalendarWeek },
    ],
  },
  {
    group: t`Set-up`,
    items: [
      { to: '/clinic', label: t`Clinic`, icon: IconBuildingHospital },
      { to: '/connections', label: t`Connections`, icon: IconPlugConnected },
    ],
  },
  {
    group: t`Operation`,
    items: [
      { to: '/runs', label: t`Runs`, icon: IconRoute },
      { to: '/deliveries', label: t`Deliveries`, icon: IconSend },
      { to: '/try-it', label: t`Try it`, icon: IconFlask },
      { to: '/readiness', label: t`Readiness`, icon: IconCheckupList },
      { to: '/audit', label: t`Audit`, icon: IconHistory, isForAdmins: true },
    ],
  },
];

/** How the clinic works, by address below `/clinic`. */
export const clinicAreas = [
  { area: 'hours', label: t`Hours` },
  { area: 'providers', label: t`Providers` },
  { area: 'calling', label: t`Calling policy` },
  { area: 'opt-outs', label: t`Opt-outs` },
  { area: 'people', label: t`People` },
  { area: 'retention', label: t`What is kept` },
];

/** How the clinic's systems and this service reach each other, by address below `/connections`. */
export const connectionAreas = [
  { area: 'sandbox', label: t`Sandbox` },
  { area: 'api-keys', label: t`API keys` },
  { area: 'inbound', label: t`Inbound events` },
  { area: 'outbound', label: t`Outbound events` },
  { area: 'approved-api', label: t`Your API` },
  { area: 'crm', label: 'CRM' },
  { area: 'voice', label: t`Voice` },
  { area: 'phone-numbers', label: t`Phone numbers` },
];
