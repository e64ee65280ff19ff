import { DEFAULT_COUNTRY } from '@clinic/shared/domain/operations/countries';
import type { Stores } from '@clinic/prisma/stores';

/** The country (ISO 3166) of a clinic as it is stored now; the routes' `countryOf` remembers it for a while. */
export const storedCountry = async ({ clinics }: Pick<Stores, 'clinics'>, clinicId: string): Promise<string> =>
  (await clinics.find(clinicId))?.defaultCountry ?? DEFAULT_COUNTRY;
