import {
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
  IconSend,
  IconUsers,
  type Icon,
} from '../icons';

export interface Destination {
  to: string;
  label: string;
  icon: Icon;
  isForAdmins?: true;
}

/** The pages of the dashboard, in the order of a day's work. */
export const destinations: { group: string; items: Destination[] }[] = [
  {
    group: 'Today',
    items: [
      { to: '/', label: 'Overview', icon: IconLayoutDashboard },
      { to: '/cases', label: 'Recovery cases', icon: IconProgressHelp },
      { to: '/calls', label: 'Calls', icon: IconPhone },
      { to: '/queue', label: 'Queue', icon: IconListNumbers },
      { to: '/tasks', label: 'Tasks', icon: IconChecklist },
      { to: '/results', label: 'Results', icon: IconChartBar },
    ],
  },
  {
    group: 'Records',
    items: [
      { to: '/patients', label: 'Patients', icon: IconUsers },
      { to: '/calendar', label: 'Calendar', icon: IconCalendarWeek },
    ],
  },
  {
    group: 'Connections',
    items: [
      { to: '/deliveries', label: 'Deliveries', icon: IconSend },
      { to: '/integrations', label: 'Integrations', icon: IconPlugConnected },
      { to: '/try-it', label: 'Try it', icon: IconFlask },
      { to: '/readiness', label: 'Readiness', icon: IconCheckupList },
      { to: '/audit', label: 'Audit', icon: IconHistory, isForAdmins: true },
    ],
  },
];
