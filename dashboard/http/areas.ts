import { notifyManager, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** The service's lists and settings by area, each with how the ids of its queries begin. */
const beginnings = {
  account: 'getAuthSession',
  secondFactor: 'getAuthSecondFactor',
  passkeys: 'getAuthPasskeys',
  notifications: 'getAuthNotifications',
  people: 'getAccounts',
  overview: 'getOverview',
  cases: 'getCases',
  calls: 'getCalls',
  queue: 'getCallingQueue',
  runs: 'getRuns',
  bulk: 'getBulkJobs',
  pauses: 'getPauses',
  preview: 'getCallingPolicyPreview',
  tasks: 'getTasks',
  patients: 'getPatients',
  optOuts: 'getIntegrationsOptOuts',
  providers: 'getProviders',
  dayList: 'getDayList',
  appointments: 'getAppointments',
  slots: 'getAvailability',
  waitlist: 'getWaitlist',
  deliveries: 'getDeliveries',
  validation: 'getValidationRuns',
  sandbox: 'getAbandonmentRecoverySandboxEmrConfig',
  proving: 'getSandbox',
  integrations: 'getIntegrations',
  retention: 'getRetention',
  results: 'getResults',
  resultsMail: 'getResultsMail',
  views: 'getViews',
  viewers: 'putRecordsByRecordIdViewers',
  audit: 'getAudit',
} as const;

export type Area = keyof typeof beginnings;

/** Reads again what the open pages show of these areas. Resolves when they have it. */
export async function readAgain(queries: QueryClient, areas: Iterable<Area>): Promise<void> {
  const wanted = [...areas].map((area) => beginnings[area]);
  await queries.invalidateQueries({
    predicate: ({ queryKey }) => wanted.some((beginning) => idOf(queryKey).startsWith(beginning)),
  });
  // What was read is told to the pages in a task of its own, each in its turn.
  await new Promise<void>((told) => {
    notifyManager.schedule(told);
  });
}

/** The key of an area's list with these filters. */
export const keyOf = (area: Area, query: object): QueryKey => [{ _id: `${beginnings[area]}List` }, query];

function idOf([first]: QueryKey): string {
  const { _id: id = '' } = (first ?? {}) as { _id?: string };
  return id;
}
