import Holidays from 'date-holidays';
import { HolidaysView, ListHolidays } from '@clinic/shared/contracts/calendar/hours';
import { routesOf } from '../../http/routes-of';
import { storedCountry } from '../../clinic-country';

const routes = routesOf({
  tag: 'Integrations: providers',
  access: 'api-key-or-clinic',
  right: 'settings.read',
  patientData: 'none',
});

/** What clinics of a country are usually closed on, to choose from. */
export const holidayRoutes = [
  routes.get('/integrations/holidays', {
    summary: "The public holidays of the clinic's country in a year",
    description: 'To choose closed days from: nothing is closed by itself. Empty where the country is not known.',
    query: ListHolidays,
    responses: { 200: { description: 'The days, in order', schema: HolidaysView } },
    async handle({ caller: { clinicId }, query: { year } }, { stores }) {
      const [country, language] = await Promise.all([
        storedCountry(stores, clinicId),
        stores.clinics.language(clinicId),
      ]);
      return { body: { country, items: holidaysOf({ country, year, language }) } };
    },
  }),
];

/** Public ones alone, in the language of who reads them where they are known by it. */
export function holidaysOf({ country, year, language }: { country: string; year: number; language: string }) {
  const holidays = new Holidays(country);
  // As en-us, where the country has a way of its own to say it.
  const spoken = holidays.getLanguages().find((known) => known.startsWith(language)) ?? language;
  const days = holidays
    .getHolidays(year, spoken)
    .filter(({ type }) => type === 'public')
    .map(({ date, name }) => ({ date: date.slice(0, 10), name }));
  return [...new Map(days.map((day) => [day.date, day])).values()];
}
