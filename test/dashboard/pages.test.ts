import { buildDashboard, type Dashboard, type Opened } from './walk/page';
import { look, walk } from './walk/walk';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await buildDashboard();
});

const forOperators = {
  getAuthSession: { role: 'operator', clinic: null },
  getOperationsRunbook: '# Operate\n\n## Alarms\n\nWhat [each](security.md) means.\n\n```sh\nnpm run pause\n```\n',
};

const pages: [at: string, own?: Opened['own']][] = [
  ['/'],
  ['/my-day'],
  ['/tasks'],
  ['/cases'],
  ['/cases/case-1'],
  ['/calls'],
  ['/calls/call-1'],
  ['/queue'],
  ['/runs'],
  ['/results'],
  ['/patients'],
  ['/patients/patient-1'],
  ['/erasures/erasure-1'],
  ['/calendar'],
  ['/day-list'],
  ['/waitlist'],
  ['/deliveries'],
  ['/deliveries/delivery-1'],
  ['/audit'],
  ['/try-it'],
  ['/readiness'],
  ['/readiness/run-1'],
  ['/operator', forOperators],
  ['/my-account'],
  ['/clinic/hours'],
  ['/clinic/providers'],
  ['/clinic/calling'],
  ['/clinic/opt-outs'],
  ['/clinic/people'],
  ['/clinic/single-sign-on'],
  ['/clinic/results'],
  ['/clinic/retention'],
  ['/connections/sandbox'],
  ['/connections/api-keys'],
  ['/connections/inbound'],
  ['/connections/outbound'],
  ['/connections/approved-api'],
  ['/connections/crm'],
  ['/connections/voice'],
  ['/connections/phone-numbers'],
  ['/nowhere'],
];

describe('what a page says and does changes only where a review sees it: `npm test -- dashboard/pages -u` writes it down anew', () => {
  test.each(pages)('%s with much on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'many' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('%s with nothing on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'none' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('whatever is done on %s', async (at, own = {}) => {
    expect((await walk(dashboard, { at, own, fullness: 'few' })).join('\n')).toMatchSnapshot('outline');
  });
});
