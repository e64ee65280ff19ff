import type { Prisma } from '@clinic/prisma/generated/client';
import { dayMs } from '@clinic/shared/domain/calendar/zone-offsets';
import type { Random } from '../random';
import type { ClinicToFill } from './clinic';

export type Person = Prisma.PatientCreateManyInput & { firstName: string; lastName: string; phone: string };

/** By how many have them: the first of each are common, the last are rare. */
const names = {
  first: `Maria James Ana John Sofía Robert José Michael Emma David Olivia William Li Noah Zoë Liam Chloé Lucas Amélie Omar Grace
    Fatima Yusuf Ingrid Daniel Hannah Marcus Elena Samuel Nora Kenji Priya Thandiwe Henry Isabel Leila Peter Ruth Gwendolyn Xiomara`,
  last: `Garcia Smith Nguyen Johnson Martínez Brown O'Brien Lee Müller Kim Patel Silva Haddad Kowalski Rossi D'Angelo Schröder
    Ivanov Tanaka Okafor Jones Davis López Wilson Anderson Thomas Moore Jackson Thompson White Harris Clark Lewis Robinson
    Walker Young Allen King Wright Scott Torres Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter
    Roberts Gómez Phillips Evans Turner Díaz Parker Cruz Edwards Collins Reyes Stewart Morris Murphy Cook Rogers Gutiérrez
    Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Cox Ward Richardson Watson Brooks Chávez Wood Bennett Gray`,
};
const firstNames = names.first.split(/\s+/);
const lastNames = names.last.split(/\s+/);

/** Hundred numbers of each area are kept for fiction (555-0100 to 555-0199); the nearest areas of a clinic in Denver first. */
const areas =
  `720 983 719 970 307 505 575 801 385 435 308 402 316 620 785 913 406 208 986 605 701 480 602 623 520 928 702 725 775 915
  432 806 940 817 214 469 972 512 737 210 713 832 405 572 918 539 816 975 417 573`.split(/\s+/);
/** Ofcom keeps these for drama: mobiles, and landlines of London. */
const british = ['+447700900', '+442079460'];

const streets = 'Juniper Cedar Alder Larkspur Meadow Canyon Orchard Station Mill Church Quarry Willow'.split(' ');
const towns = {
  US: ['Denver, CO 80205', 'Lakewood, CO 80226', 'Aurora, CO 80012', 'Boulder, CO 80302', 'Littleton, CO 80120'],
  GB: ['London SE1 9TG', 'London E14 5AB', 'London N1 9AG', 'London SW9 8HE'],
};
const plans = {
  US: ['Blue Peak PPO', 'Summit Health HMO', 'Frontrange Medicaid', 'Evergreen Choice', 'Self-pay'],
  GB: ['NHS', 'Albion Private', 'Self-pay'],
};
const sources = ['Search', 'A friend', 'Referred by a doctor', 'Insurance directory', 'Social media'];

/** Of a clinic that is filled. */
export const FIRST_IDENTIFIER = 'MRN-20000';

/** Patients of a clinic, each with a number of their own as long as there are some; nobody real. */
export function peopleOf({ clinicId, country, now, newId, random }: ClinicToFill, count: number): Person[] {
  const numbers = shuffled(random, phonesOf(country));
  return Array.from({ length: count }, (_, index) => {
    const firstName = firstNames[skewed(random, firstNames.length)] ?? 'Maria';
    const lastName = lastNames[skewed(random, lastNames.length)] ?? 'Garcia';
    const isExisting = random.chance(0.35);
    const createdAt = now - random.between(1, 360) * dayMs;
    return {
      id: newId(createdAt),
      createdAt: new Date(createdAt),
      clinicId,
      firstName,
      lastName,
      // Households share a number where there are more people than numbers.
      phone: numbers[index % numbers.length] ?? '',
      email: `${plain(firstName)}.${plain(lastName)}${index}@mail.example`,
      birthDate: birthDate(random),
      identifier: `MRN-${20_000 + index}`,
      address: `${random.whole(1, 240)} ${random.pick(streets)} Street, ${random.pick(towns[country])}`,
      reasonForVisit: null,
      healthPlanName: random.chance(0.8) ? random.pick(plans[country]) : null,
      referralSource: random.chance(0.6) ? random.pick(sources) : null,
      commsConsent: true,
      patientType: isExisting ? 'EXISTING' : 'NEW',
    };
  });
}

/** The same people once more, as a form or an import had them: a name written otherwise, no number of their own. */
export function duplicatesOf({ newId, now, random }: ClinicToFill, people: readonly Person[], count: number): Person[] {
  return people.slice(0, count).map((person) => {
    const hasPhone = random.chance(0.6);
    const createdAt = now - random.between(1, 200) * dayMs;
    return {
      ...person,
      id: newId(createdAt),
      createdAt: new Date(createdAt),
      identifier: null,
      externalId: newId(now, 'crm'),
      firstName: random.chance(0.5) ? misspelled(person.firstName) : person.firstName,
      phone: person.phone,
      email: hasPhone ? null : person.email,
      birthDate: hasPhone ? null : person.birthDate,
      address: null,
      patientType: 'NEW',
    };
  });
}

function phonesOf(country: ClinicToFill['country']): string[] {
  const of = (start: string, length: number) =>
    Array.from({ length: 10 ** length }, (_, number) => `${start}${String(number).padStart(length, '0')}`);
  return country === 'GB' ? british.flatMap((start) => of(start, 3)) : areas.flatMap((area) => of(`+1${area}55501`, 2));
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, place: random.between(0, 1) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

const skewed = (random: Random, length: number): number => Math.floor(length * random.between(0, 1) ** 1.7);

function birthDate(random: Random): string {
  const year = 2007 - Math.floor(random.between(0, 1) ** 0.9 * 70);
  const day = new Date(Date.UTC(year, 0, 1) + random.whole(0, 364) * dayMs);
  return day.toISOString().slice(0, 10);
}

const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase();

/** The last two letters in the wrong order, as a hand in a hurry does. */
const misspelled = (name: string): string => `${name.slice(0, -2)}${name.slice(-1)}${name.slice(-2, -1)}`;
