import { zonesOfAddress } from '@clinic/shared/domain/address-zones';
import { zonesOfNumber } from '@clinic/shared/domain/number-zones';
import { zonesOfPatient } from '@clinic/shared/domain/patient-zones';
import oracle from './number-zones.json';

const inDenver = { address: null, clinicZone: 'America/Denver', unknownZone: 'country', zoneData: '2026e' } as const;

test('every area code of the United States and Canada has the zones that another implementation gives it', () => {
  const numbers = Object.entries(oracle.numbers);

  const different = numbers.filter(([phone, zones]) => zonesOfNumber(phone).zones.toSorted().join('&') !== zones);

  expect(different).toEqual([]);
  expect(new Set(numbers.map(([phone]) => phone.slice(2, 5))).size).toBeGreaterThan(400);
});

test('an exchange that lies in another zone than the rest of its area code is known', () => {
  expect(zonesOfNumber('+12702022345').zones).toEqual(['America/Chicago']);
  expect(zonesOfNumber('+12703212345').zones).toEqual(['America/New_York']);
});

test('every zone of the table is one that this runtime knows', () => {
  for (const phone of ['+1', '+7', '+61', '+55', '+52', '+62', '+244']) {
    for (const zone of zonesOfNumber(phone).zones) {
      expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
    }
  }
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
