import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { DEFAULT_COUNTRY } from '../operations/countries';

/** A number as people of a country write it, and the same as anybody can: `(201) 555-0123 or +12015550123`. */
export function exampleOfPhone(country: string): string {
  const example = getExampleNumber(isSupportedCountry(country) ? country : DEFAULT_COUNTRY, examples);
  return example ? `${example.formatNational()} or ${example.number}` : '+12015550123';
}
