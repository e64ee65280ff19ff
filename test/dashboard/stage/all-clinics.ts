const figures = [
  'stuckRuns',
  'unstartedRuns',
  'runFaults',
  'voiceFaults',
  'systemFaults',
  'setupFaults',
  'alarms',
  'failingEndpoints',
  'deadDeliveries',
  'waitingErasures',
  'pauses',
  'waitingDeliveries',
];

/** Each figure of a clinic with the same value. */
export const allOf = <Value>(value: Value) => Object.fromEntries(figures.map((figure) => [figure, value]));

/** A clinic where nothing needs a look, as the operator's page of all clinics has it. */
export const clinicState = (given: object = {}) => ({
  clinicId: 'clinic-1',
  name: 'North',
  needsALook: false,
  openRuns: 1,
  ...allOf(0),
  since: allOf(null),
  alarmKinds: [],
  newestAlarms: [],
  deadEndpoints: [],
  newestDead: [],
  failing: [],
  temporalUrl: 'https://temporal.example/clinic-1',
  temporalUrls: {},
  ...given,
});

/** What that page reads, half a minute before 14:30. */
export const allClinics = (clinics: object[], given: object = {}) => ({
  at: '2026-11-25T14:29:30Z',
  clinics: clinics.length,
  needALook: 0,
  items: clinics,
  duties: [],
  isEveryClinicPaused: false,
  isTemporalReachable: true,
  oldest: { startSeconds: 0, messageSeconds: 0, callSeconds: 0, deliverySeconds: 0 },
  pauses: [],
  ...given,
});
