import { zonesOfAddress } from '@clinic/shared/domain/outreach/address-zones';
import { numberZoneData } from '@clinic/shared/domain/outreach/number-zone-data';
import { zonesOfNumber } from '@clinic/shared/domain/outreach/number-zones';
import { zonesOfPatient } from '@clinic/shared/domain/outreach/patient-zones';
import oracle from './number-zones.json';

const inDenver = { address: null, clinicZone: 'America/Denver', unknownZone: 'country', zoneData: '2026e' } as const;

test('every area code of the United States and Canada has the zones that another implementation gives it', () => {
  const numbers = Object.entries(oracle.numbers);

  const different = numbers.filter(([phone, zones]) => zonesOfNumber(phone).zones.toSorted().join('&') !== zones);

  expect(different).toEqual([]);
  expect(new Set(numbers.map(([phone]) => phone.slice(2, 5))).size).toBeGreaterThan(400);
});

test('a number of another country with several clocks has all zones that another implementation gives it, a mobile one too', () => {
  const numbers = Object.entries(oracle.elsewhere);

  const lacking = numbers.filter(([phone, zones]) => {
    const ours = zonesOfNumber(phone).zones;
    return zones.split('&').some((zone) => !ours.includes(zone));
  });

  expect(lacking).toEqual([]);
  expect(numbers.length).toBeGreaterThan(500);
});

test.each([
  ['an Australian mobile number', '+61491570156', 'Australia/Perth'],
  ['a Spanish one', '+34612345678', 'Atlantic/Canary'],
  ['a Chilean one', '+56912345678', 'Pacific/Easter'],
])('%s tells its country alone', (_what, phone, furthest) => {
  const { zones, isTold } = zonesOfNumber(phone);

  expect(isTold).toBe(false);
  expect(zones).toContain(furthest);
});

test.each([
  ['Morocco and Western Sahara', '+212522123456', ['Africa/Casablanca']],
  ['Algeria', '+21321234567', ['Africa/Algiers']],
  ['Libya', '+218212345678', ['Africa/Tripoli']],
  ['South Sudan', '+211912345678', ['Africa/Juba']],
  ['Nicaragua', '+50521234567', ['America/Managua']],
  ['Palestine', '+97022345678', ['Asia/Hebron']],
  ['Papua New Guinea', '+6753123456', ['Pacific/Bougainville', 'Pacific/Port_Moresby']],
  ['Kaliningrad', '+74012345678', ['Europe/Kaliningrad']],
  ['Darwin', '+61889123456', ['Australia/Adelaide', 'Australia/Darwin', 'Australia/Perth']],
  ['Punta Arenas', '+56612345678', ['America/Punta_Arenas', 'America/Santiago']],
])('numbers of %s have its own clock, where libphonenumber names that of another place', (_place, phone, zones) => {
  expect(zonesOfNumber(phone).zones).toEqual(zones);
});

test('the law of a younger zone table reaches the numbers of Morocco', () => {
  const phone = '+212522123456';

  expect(zonesOfPatient({ ...inDenver, phone, zoneData: '2026b' })).toContain('Etc/UTC');
  expect(zonesOfPatient({ ...inDenver, phone })).toEqual(['Africa/Casablanca']);
});

test('an exchange that lies in another zone than the rest of its area code is known', () => {
  expect(zonesOfNumber('+12702022345').zones).toEqual(['America/Chicago']);
  expect(zonesOfNumber('+12703212345').zones).toEqual(['America/New_York']);
});

test('every zone of the table is one that this runtime knows', () => {
  const zones = new Set(numberZoneData.flatMap((line) => line.slice(0, line.indexOf('|')).split('&')));
  for (const zone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
});

test('a toll-free number tells its country alone: it may be in every zone of it', () => {
  const { zones, isTold } = zonesOfNumber('+18005550100');

  expect(isTold).toBe(false);
  expect(zones).toEqual(expect.arrayContaining(['America/New_York', 'Pacific/Honolulu', 'Pacific/Guam']));
});

test('a country with one zone tells it', () => {
  expect(zonesOfNumber('+442079460000')).toEqual({ zones: ['Europe/London'], isTold: true });
});

test('a number of no country is in the zone of the clinic', () => {
  expect(zonesOfNumber('+999123456789').zones).toEqual([]);
  expect(zonesOfPatient({ ...inDenver, phone: '+999123456789' })).toEqual(['America/Denver']);
});

test('where a clinic says so, a number that tells no zone is in the zone of the clinic', () => {
  const phone = '+18005550100';

  expect(zonesOfPatient({ ...inDenver, phone, unknownZone: 'clinic' })).toEqual(['America/Denver']);
  expect(zonesOfPatient({ ...inDenver, phone: '+12125550100', unknownZone: 'clinic' })).toEqual(['America/New_York']);
});

test('an address adds the zones of its state to those of the number', () => {
  const address = '1 Main Street, Los Angeles, CA 90012';

  expect(zonesOfPatient({ ...inDenver, phone: '+12125550100', address })).toEqual([
    'America/Los_Angeles',
    'America/New_York',
  ]);
});

describe('the state of an address', () => {
  test.each([
    ['1 Main Street, El Paso, TX 79901', ['America/Chicago', 'America/Denver']],
    ['1 Main Street, Honolulu, hi 96813-1234', ['Pacific/Honolulu']],
    ['12 Elm St, Charleston, West Virginia', ['America/New_York']],
    ['12 Elm St, Reno, Nevada 89501, USA', ['America/Los_Angeles', 'America/Denver']],
    ['Juneau, AK, United States of America', ['America/Anchorage', 'America/Adak']],
    ['5 Kansas Avenue, Paris', []],
    ['10115 Berlin', []],
    ['', []],
    [null, []],
  ])('of %j', (address, zones) => {
    expect(zonesOfAddress(address)).toEqual(zones);
  });
});

test.each([
  [['America/New_York'], 'CT DE DC GA ME MD MA NH NJ NY NC OH PA RI SC VT VA WV'],
  [['America/Chicago'], 'AL AR IL IA LA MN MS MO WI'],
  [['America/Denver'], 'CO MT NM UT WY'],
  [['America/Los_Angeles'], 'CA WA'],
  [['America/Chicago', 'America/New_York'], 'FL KY TN'],
  [['America/Chicago', 'America/Denver'], 'KS NE ND OK SD TX'],
  [['America/Denver', 'America/Los_Angeles'], 'NV'],
  [['America/Boise', 'America/Los_Angeles'], 'ID OR'],
  [['America/Denver', 'America/Phoenix'], 'AZ'],
  [['America/Chicago', 'America/Indiana/Indianapolis'], 'IN'],
  [['America/Chicago', 'America/Detroit'], 'MI'],
  [['America/Adak', 'America/Anchorage'], 'AK'],
  [['Pacific/Honolulu'], 'HI'],
  [['America/Puerto_Rico'], 'PR'],
  [['America/St_Thomas'], 'VI'],
  [['Pacific/Guam'], 'GU'],
  [['Pacific/Pago_Pago'], 'AS'],
  [['Pacific/Saipan'], 'MP'],
])('on %j are %s and no other states (49 CFR part 71)', (zones, codes) => {
  const zonesOf = (code: string) => zonesOfAddress(`12 Main St, Springfield, ${code} 62704`).toSorted();
  expect(codes.split(' ').map((code) => [code, zonesOf(code)])).toEqual(codes.split(' ').map((code) => [code, zones]));
});
