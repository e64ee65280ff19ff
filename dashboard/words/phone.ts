import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../parts/account';

/** Those who dial +1 share one form, which needs no metadata of countries: a clinic there loads none until it meets another number. */
const northAmerica = /^\+1(\d{3})(\d{3})(\d{4})$/;
const northAmericans = [
  'US',
  'CA',
  'AG',
  'AI',
  'AS',
  'BB',
  'BM',
  'BS',
  'DM',
  'DO',
  'GD',
  'GU',
  'JM',
  'KN',
  'KY',
  'LC',
  'MP',
  'MS',
  'PR',
  'SX',
  'TC',
  'TT',
  'VC',
  'VG',
  'VI',
];

/**
 * Writes phones as the clinic’s country does, `(303) 555-0142`, and those of other countries in international form. What is no
 * number stays as it is.
 */
export function usePhone(): (number: string) => string {
  const { country } = useAccount().clinic;
  const isAmerican = northAmericans.includes(country);
  const { data: written } = useQuery({
    queryKey: ['phones', country],
    queryFn: () => formatterOf(country),
    staleTime: Infinity,
    enabled: !isAmerican,
  });
  return (number) => {
    if (!isAmerican) return written ? written(number) : number;
    return number.replace(northAmerica, '($1) $2-$3');
  };
}

/** How a number is written in the clinic’s country, where something is to be typed. */
export function useExamplePhone(): string | undefined {
  const { country } = useAccount().clinic;
  const isAmerican = northAmericans.includes(country);
  const { data: example } = useQuery({
    queryKey: ['phones', country, 'example'],
    queryFn: () => exampleOf(country),
    staleTime: Infinity,
    enabled: !isAmerican,
  });
  return isAmerican ? '(303) 555-0101' : (example ?? undefined);
}

async function exampleOf(country: string): Promise<string | null> {
  const [{ getExampleNumber, isSupportedCountry }, { default: examples }] = await Promise.all([
    import('libphonenumber-js/min'),
    import('libphonenumber-js/mobile/examples'),
  ]);
  return (isSupportedCountry(country) && getExampleNumber(country, examples)?.formatNational()) || null;
}

async function formatterOf(country: string): Promise<(number: string) => string> {
  const { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } =
    await import('libphonenumber-js/min');
  const own = isSupportedCountry(country) ? getCountryCallingCode(country) : null;
  return (number) => {
    const parsed = parsePhoneNumberFromString(number);
    if (!parsed) return number;
    return parsed.countryCallingCode === own ? parsed.formatNational() : parsed.formatInternational();
  };
}
