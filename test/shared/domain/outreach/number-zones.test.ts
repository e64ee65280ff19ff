import { zonesOfAddress } from '@clinic/shared/domain/outreach/address-zones';
import { numberZoneData } from '@clinic/shared/domain/outreach/number-zone-data';
import { zonesOfNumber } from '@clinic/shared/domain/outreach/number-zones';
import { zonesOfPatient } from '@clinic/shared/domain/outreach/patient-zones';
import { exampleOfPhone } from '@clinic/shared/domain/patients/phone-example';
import { isCountry } from '@clinic/shared/domain/operations/countries';
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

test('a mobile number of every country tells its zone, but of those that have several clocks and one plan of numbers', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const countries = letters.flatMap((one) => letters.map((other) => one + other)).filter(isCountry);
  const told = countries.map((country) => {
    const { zones, isTold } = zonesOfNumber(/\+\d+$/.exec(exampleOfPhone(country))?.[0] ?? '');
    return { country, hasZone: zones.length > 0, isTold };
  });

  expect(told.length).toBeGreaterThan(240);
  expect(told.filter(({ hasZone }) => !hasZone)).toEqual([]);
  expect(told.filter(({ isTold }) => !isTold).map(({ country }) => country)).toEqual(
    'AU AX CC CD CX EC ES FI GL IE IT KI MN NZ PF PG PT RE RU VA YT'.split(' '),
  );
});

test.each([
  ['Cancún', '+529981234567', 'America/Cancun'],
  ['Ciudad Juárez', '+526561234567', 'America/Ciudad_Juarez'],
  ['Ojinaga', '+526261234567', 'America/Ojinaga'],
  ['Sonoita', '+526491234567', 'America/Mazatlan America/Mexico_City'],
  ['a Mexican plan of 200', '+522001234567', 'America/Mexico_City America/Tijuana'],
  ['Colorado City and Page', '+19282832345', 'America/Denver America/Phoenix'],
  ['Juneau', '+19072092345', 'America/Juneau'],
  ['Rio Branco', '+556832234567', 'America/Rio_Branco'],
  ['a Brazilian company', '+553023456789', 'America/Manaus America/Noronha America/Rio_Branco America/Sao_Paulo'],
  ['Concepción or Punta Arenas', '+56612345678', 'America/Punta_Arenas America/Santiago'],
  ['Valparaíso or Easter Island', '+56322345678', 'America/Santiago Pacific/Easter'],
  ['Svalbard', '+4779023456', 'Arctic/Longyearbyen'],
  ['Almaty', '+77272345678', 'Asia/Almaty'],
  ['Aqtobe', '+77132345678', 'Asia/Aqtobe'],
  ['Anadyr', '+74272212345', 'Asia/Anadyr'],
  ['Kamchatka', '+74152212345', 'Asia/Kamchatka'],
  ['Magadan', '+74132212345', 'Asia/Magadan'],
  ['Omsk', '+73812212345', 'Asia/Omsk'],
  ['Sakhalin', '+74242212345', 'Asia/Sakhalin'],
  ['Kaliningrad', '+74012212345', 'Europe/Kaliningrad'],
  ['the east of Mongolia', '+97613622345', 'Asia/Choibalsan Asia/Ulaanbaatar'],
  ['Khovd', '+97614322345', 'Asia/Hovd'],
  ['Sorong', '+62951234567', 'Asia/Jayapura'],
  ['the Moluccas', '+62915234567', 'Asia/Jakarta Asia/Jayapura'],
  ['an Indonesian company', '+628023456789', 'Asia/Jakarta Asia/Jayapura Asia/Makassar'],
  ['Kendari', '+62403234567', 'Asia/Jayapura Asia/Makassar'],
  ['Eucla', '+61890393234', 'Australia/Adelaide Australia/Darwin Australia/Eucla Australia/Perth'],
  [
    'Western Australia or Christmas Island',
    '+61891006234',
    'Australia/Adelaide Australia/Darwin Australia/Perth Indian/Christmas',
  ],
  [
    'Western Australia or the Cocos Islands',
    '+61891010234',
    'Australia/Adelaide Australia/Darwin Australia/Perth Indian/Cocos',
  ],
  ['Christmas Island', '+61891641234', 'Indian/Christmas'],
  ['the Cocos Islands', '+61891621234', 'Indian/Cocos'],
  ['Lord Howe Island', '+61265081234', 'Australia/Lord_Howe'],
  ['Guernsey', '+441481234567', 'Europe/Guernsey'],
  ['Jersey', '+441534234567', 'Europe/Jersey'],
  ['the Isle of Man', '+441624234567', 'Europe/Isle_of_Man'],
  ['London', '+442079460000', 'Europe/London'],
  ['Helsinki', '+358912345678', 'Europe/Helsinki'],
  ['Mariehamn', '+3581812345', 'Europe/Mariehamn'],
  ['Rome', '+390612345678', 'Europe/Rome'],
  ['the Vatican', '+390669812345', 'Europe/Vatican'],
  ['Réunion', '+262262123456', 'Indian/Reunion'],
  ['the Chatham Islands', '+6433051234', 'Pacific/Chatham'],
  ['Kosrae', '+6913701234', 'Pacific/Kosrae'],
])('a number of %s tells its clock', (_place, phone, zones) => {
  expect(zonesOfNumber(phone)).toEqual({ zones: zones.split(' '), isTold: true });
});

test.each([
  ['Curaçao or Bonaire', '+5992345678', 'America/Curacao America/Kralendijk'],
  ['Norway or Svalbard', '+4710234567', 'Arctic/Longyearbyen Europe/Oslo'],
  [
    'Mexico',
    '+5210234567',
    'America/Cancun America/Ciudad_Juarez America/Matamoros America/Mazatlan America/Mexico_City America/New_York America/Ojinaga America/Tijuana',
  ],
])('a number of all %s has every clock that is there', (_place, phone, zones) => {
  expect(zonesOfNumber(phone)).toEqual({ zones: zones.split(' '), isTold: false });
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

describe('a code at the end of an address', () => {
  test.each([
    ['+493012345678', 'Hauptstr. 1, 10115 Berlin, DE', []],
    ['+6281234567890', 'Jl. Sudirman 5, Jakarta 10220, ID', []],
    ['+14165550100', '100 King St W, Toronto ON M5X 1A9, CA', []],
    ['+14165550100', '100 King St W, Toronto ON M5X1A9 CA', []],
    ['+14165550100', '5 Main St, Oakland, CA', ['America/Los_Angeles']],
    ['+493012345678', '5 Main St, Dover, DE 19901', ['America/New_York']],
    ['+493012345678', '5 Main St, Dover, Delaware', ['America/New_York']],
    ['+447911123456', '5 Main St, Dover, DE', ['America/New_York']],
    ['+13025550100', '5 Main St, Dover, DE', ['America/New_York']],
  ])('of who has %s: %j', (phone, address, zones) => {
    expect(zonesOfAddress(address, phone)).toEqual(zones);
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
