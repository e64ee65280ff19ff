import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/min';

const eastern = ['America/New_York'];
const central = ['America/Chicago'];
const mountain = ['America/Denver'];
const pacific = ['America/Los_Angeles'];

/** Every time zone that is used in a state or territory of the United States, by its postal code and its name. */
const states: readonly [code: string, name: string, zones: readonly string[]][] = [
  ['AL', 'Alabama', central],
  ['AK', 'Alaska', ['America/Anchorage', 'America/Adak']],
  ['AZ', 'Arizona', ['America/Phoenix', 'America/Denver']],
  ['AR', 'Arkansas', central],
  ['CA', 'California', pacific],
  ['CO', 'Colorado', mountain],
  ['CT', 'Connecticut', eastern],
  ['DE', 'Delaware', eastern],
  ['DC', 'District of Columbia', eastern],
  ['FL', 'Florida', [...eastern, ...central]],
  ['GA', 'Georgia', eastern],
  ['HI', 'Hawaii', ['Pacific/Honolulu']],
  ['ID', 'Idaho', ['America/Boise', ...pacific]],
  ['IL', 'Illinois', central],
  ['IN', 'Indiana', ['America/Indiana/Indianapolis', ...central]],
  ['IA', 'Iowa', central],
  ['KS', 'Kansas', [...central, ...mountain]],
  ['KY', 'Kentucky', [...eastern, ...central]],
  ['LA', 'Louisiana', central],
  ['ME', 'Maine', eastern],
  ['MD', 'Maryland', eastern],
  ['MA', 'Massachusetts', eastern],
  ['MI', 'Michigan', ['America/Detroit', ...central]],
  ['MN', 'Minnesota', central],
  ['MS', 'Mississippi', central],
  ['MO', 'Missouri', central],
  ['MT', 'Montana', mountain],
  ['NE', 'Nebraska', [...central, ...mountain]],
  ['NV', 'Nevada', [...pacific, ...mountain]],
  ['NH', 'New Hampshire', eastern],
  ['NJ', 'New Jersey', eastern],
  ['NM', 'New Mexico', mountain],
  ['NY', 'New York', eastern],
  ['NC', 'North Carolina', eastern],
  ['ND', 'North Dakota', [...central, ...mountain]],
  ['OH', 'Ohio', eastern],
  ['OK', 'Oklahoma', [...central, ...mountain]],
  ['OR', 'Oregon', [...pacific, 'America/Boise']],
  ['PA', 'Pennsylvania', eastern],
  ['RI', 'Rhode Island', eastern],
  ['SC', 'South Carolina', eastern],
  ['SD', 'South Dakota', [...central, ...mountain]],
  ['TN', 'Tennessee', [...eastern, ...central]],
  ['TX', 'Texas', [...central, ...mountain]],
  ['UT', 'Utah', mountain],
  ['VT', 'Vermont', eastern],
  ['VA', 'Virginia', eastern],
  ['WA', 'Washington', pacific],
  ['WV', 'West Virginia', eastern],
  ['WI', 'Wisconsin', central],
  ['WY', 'Wyoming', mountain],
  ['PR', 'Puerto Rico', ['America/Puerto_Rico']],
  ['VI', 'Virgin Islands', ['America/St_Thomas']],
  ['GU', 'Guam', ['Pacific/Guam']],
  ['AS', 'American Samoa', ['Pacific/Pago_Pago']],
  ['MP', 'Northern Mariana Islands', ['Pacific/Saipan']],
];

const zonesByState = new Map(
  states.flatMap(([code, name, zones]): [string, readonly string[]][] => [
    [code, zones],
    [name.toUpperCase(), zones],
  ]),
);

/** What may follow the state: a postal code, the country, or nothing. */
const afterState = String.raw`((?:[\s,]+\d{5}(?:-\d{4})?)?(?:[\s,]+(?:USA?|U\.S\.(?:A\.)?|UNITED STATES(?: OF AMERICA)?))?)[\s.]*$`;
const stateAtEnd = new RegExp(
  String.raw`(?:^|[\s,])(${[...zonesByState.keys()].toSorted(longestFirst).join('|')})${afterState}`,
);

/** The postal code of Canada, before its own code. */
const canadianCode = /[A-Z]\d[A-Z] ?\d[A-Z]\d[\s,]*$/;

/** The time zones of the state that an address of the United States ends with; none where it names no state. */
export function zonesOfAddress(address: string | null, phone: string | null = null): readonly string[] {
  const text = (address ?? '').toUpperCase();
  const found = stateAtEnd.exec(text);
  if (found === null) return [];
  const [, state = '', more] = found;
  const isCanada = state === 'CA' && canadianCode.test(text.slice(0, found.index));
  // DE behind Berlin is Germany, not Delaware.
  if (more === '' && (isCanada || isCountryOf(phone, state))) return [];
  return zonesByState.get(state) ?? [];
}

/** Whether a code is that of the country whose number it is; with +1 it may be a state all the same. */
function isCountryOf(phone: string | null, code: string): boolean {
  if (phone === null || !isSupportedCountry(code)) return false;
  const calling = getCountryCallingCode(code);
  return calling !== '1' && phone.startsWith(`+${calling}`);
}

function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
