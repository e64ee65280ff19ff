import { setTimeout as delay } from 'node:timers/promises';
import { type Acting, emptyDocument, placeShown, type Reader, type Stage, textsIn } from './dashboard';
import type { answering } from './service';

/** How the ids of queries begin, area by area: one of each is there, so that it can be seen which are read again. */
const beginnings = [
  'getAuthSession',
  'getAuthSecondFactor',
  'getAuthPasskeys',
  'getAuthNotifications',
  'getAccounts',
  'getOverview',
  'getCases',
  'getCalls',
  'getCallingQueue',
  'getRuns',
  'getBulkJobs',
  'getPauses',
  'getCallingPolicyPreview',
  'getTasks',
  'getPatients',
  'getProviders',
  'getDayList',
  'getAppointments',
  'getAvailability',
  'getWaitlist',
  'getDeliveries',
  'getValidationRuns',
  'getAbandonmentRecoverySandboxEmrConfig',
  'getSandbox',
  'getIntegrations',
  'getRetention',
  'getResults',
  'getResultsMail',
  'getViews',
  'getAudit',
];

type Shown = NonNullable<Parameters<Stage['act']>[2]>;

export interface AtDesk extends Acting {
  /** What it shows now. */
  texts(): string[];
  /** Which areas are read again since. */
  refreshed(): string[];
}

/** Somebody who acts on pages of the dashboard before a service. */
export const deskOf = (stage: () => Stage, service: ReturnType<typeof answering>) => ({
  open(component: unknown, { answers = [], as = {}, ...shown }: Shown = {}, props: object = {}): AtDesk {
    service.requests.length = 0;
    service.replies.length = 0;
    stage().said();
    const all: [unknown, unknown][] = [...beginnings.map((_id): [unknown, unknown] => [[{ _id }], {}]), ...answers];
    const acting = stage().act(component, props, { ...shown, as, answers: all });
    return {
      ...acting,
      texts: () => textsIn(acting.again()),
      refreshed: () => beginnings.filter((each) => acting.stale().includes(each)),
    };
  },
  /** What the service is asked, what is told and what is read again once it has answered so. */
  async done(page: AtDesk, act: () => unknown, ...replies: object[]) {
    service.replies.push(...replies);
    act();
    for (let turn = 0; turn < 6; turn += 1) await delay(1);
    const told = stage().said();
    return {
      asked: [...service.requests],
      told: told.map(({ message, color }) => `${color}: ${message}`),
      refreshed: page.refreshed(),
    };
  },
});

const rights = [
  'dashboard',
  'workflows',
  'tasks',
  'results',
  'exports',
  'patients',
  'patients.read',
  'appointments',
  'appointments.read',
  'operations',
  'deliveries',
  'audit',
  'sandbox',
  'settings',
  'settings.read',
  'people',
  'keys',
  'privacy',
];

/** An administrator, or one without some of the rights. */
export const adminWithout = (...without: string[]): Reader => ({
  role: 'admin',
  rights: rights.filter((right) => !without.includes(right)),
});

/** Has the clock stand; what waits goes on. */
export const stopClock = (now: string) =>
  jest.useFakeTimers({
    now: Date.parse(now),
    doNotFake: [
      'clearImmediate',
      'clearInterval',
      'clearTimeout',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ],
  });

/** The texts of the cells of a list that are broken where they are long, or take what is left of its width. */
export const cellsIn = (markup: string, kind: 'long' | 'rest'): string[] =>
  [...markup.matchAll(new RegExp(`<div[^>]* data-${kind}="true"[^>]*>([^]*?)</div></(?:td|th)>`, 'g'))].map(
    ([, cell = '']) => textsIn(cell).join(' '),
  );

/** What a browser has that keeps the files which it is handed. */
export function keepingFiles() {
  const saved: { name: string; blob: Blob }[] = [];
  let handed: Blob | null = null;
  class Addresses extends URL {
    static override createObjectURL(blob: Blob) {
      handed = blob;
      return 'blob:1';
    }
    static override revokeObjectURL() {
      handed = null;
    }
  }
  const createElement = () => ({
    download: '',
    click() {
      if (handed) saved.push({ name: this.download, blob: handed });
    },
  });
  return { saved, URL: Addresses, document: { ...emptyDocument(), createElement } };
}

/** What a browser has whose device gives this to who asks for a passkey, with what its window has besides. */
export function withPasskeys(
  passkey: () => object | null,
  { location = {}, ...ofWindow }: { location?: object; [name: string]: unknown } = {},
) {
  const { addEventListener, removeEventListener, dispatchEvent } = emptyDocument();
  const asked = async () => passkey();
  return {
    navigator: {
      language: 'en-US',
      languages: ['en-US'],
      onLine: true,
      userAgent: 'Firefox/140 on Linux',
      credentials: { get: asked, create: asked },
    },
    window: {
      addEventListener,
      removeEventListener,
      dispatchEvent,
      isSecureContext: true,
      location: { ...placeShown, ...location },
      ...ofWindow,
    },
  };
}
