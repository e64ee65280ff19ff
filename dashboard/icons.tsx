// The icons of the dashboard: drawings of Tabler Icons 3.51 (drawings/LICENSE). The package itself is 18,000 files.
// One more: the `d` of each <path> of its SVG goes into drawings/tabler.json under its name.
import type { ReactElement, SVGProps } from 'react';
import drawings from './drawings/tabler.json';

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'width' | 'height' | 'children'> {
  /** Of its sides, in pixels. */
  size?: number;
}

export type Icon = (props: IconProps) => ReactElement;

const icon =
  (name: keyof typeof drawings): Icon =>
  ({ size = 24, ...rest }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...rest}
    >
      {drawings[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );

export const IconAlertTriangle = icon('alert-triangle');
export const IconArrowLeft = icon('arrow-left');
export const IconArrowRight = icon('arrow-right');
export const IconBan = icon('ban');
export const IconBookmark = icon('bookmark');
export const IconBuildingHospital = icon('building-hospital');
export const IconCalendarPlus = icon('calendar-plus');
export const IconCalendarWeek = icon('calendar-week');
export const IconChartBar = icon('chart-bar');
export const IconCheck = icon('check');
export const IconChecklist = icon('checklist');
export const IconCheckupList = icon('checkup-list');
export const IconChevronDown = icon('chevron-down');
export const IconChevronLeft = icon('chevron-left');
export const IconChevronRight = icon('chevron-right');
export const IconClipboardText = icon('clipboard-text');
export const IconCopy = icon('copy');
export const IconDots = icon('dots');
export const IconDownload = icon('download');
export const IconExternalLink = icon('external-link');
export const IconFlag = icon('flag');
export const IconFlask = icon('flask');
export const IconForms = icon('forms');
export const IconHistory = icon('history');
export const IconInbox = icon('inbox');
export const IconKey = icon('key');
export const IconLayoutDashboard = icon('layout-dashboard');
export const IconListNumbers = icon('list-numbers');
export const IconLock = icon('lock');
export const IconLogout = icon('logout');
export const IconMapQuestion = icon('map-question');
export const IconMessageCircleQuestion = icon('message-circle-question');
export const IconMinus = icon('minus');
export const IconMoon = icon('moon');
export const IconPhone = icon('phone');
export const IconPhoneOff = icon('phone-off');
export const IconPlayerPause = icon('player-pause');
export const IconPlayerPlay = icon('player-play');
export const IconPlugConnected = icon('plug-connected');
export const IconPlus = icon('plus');
export const IconPrinter = icon('printer');
export const IconProgressHelp = icon('progress-help');
export const IconRefresh = icon('refresh');
export const IconRotate = icon('rotate');
export const IconRoute = icon('route');
export const IconSearch = icon('search');
export const IconSend = icon('send');
export const IconSun = icon('sun');
export const IconTrash = icon('trash');
export const IconUpload = icon('upload');
export const IconUser = icon('user');
export const IconUsers = icon('users');
export const IconWebhook = icon('webhook');
export const IconX = icon('x');
