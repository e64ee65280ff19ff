import type { PersonFacts } from '@clinic/shared/domain/patients/patient-matching';
import { otherForms } from '@clinic/shared/domain/patients/nicknames';

/** People of a town by lot, and what a caller or a form says of them: always the same for the same seed. */

export interface Person extends PersonFacts {
  id: string;
  /** Born on the same day to the same parents. */
  twinOf: string | null;
}

export interface Saying {
  asked: PersonFacts;
  /** Who is meant; null for somebody who is not on file. */
  meant: string | null;
}

type Random = () => number;

/** The public-domain mulberry32. */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const firstNames =
  `James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Karen
  Charles Sarah Christopher Lisa Daniel Nancy Matthew Sandra Anthony Ashley Mark Emily Steven Kimberly Andrew Margaret Joshua Donna
  Kenneth Michelle Kevin Carol Brian Amanda Timothy Melissa Ronald Deborah Jason Stephanie George Rebecca Edward Sharon Jeffrey Laura
  Ryan Cynthia Jacob Dorothy Nicholas Amy Gary Kathleen Eric Angela Jonathan Shirley Stephen Emma Larry Brenda Justin Pamela Scott Nicole
  Brandon Anna Benjamin Samantha Samuel Katherine Gregory Christine Alexander Debra Patrick Rachel Frank Carolyn Raymond Janet Jack Maria
  Dennis Olivia Jerry Heather Tyler Helen Aaron Catherine Jose Diane Adam Julie Nathan Victoria Henry Joyce Zachary Lauren Douglas Kelly
  Peter Christina Kyle Ruth Noah Joan Ethan Virginia Jeremy Judith Christian Evelyn Walter Hannah Keith Andrea Austin Megan Roger Cheryl
  Terry Jacqueline Sean Madison Gerald Teresa Carl Abigail Dylan Sophia Harold Martha Jordan Sara Jesse Gloria Bryan Janice Lawrence Kathryn
  Arthur Ann Gabriel Isabella Bruce Judy Logan Charlotte Alan Julia Juan Grace Elijah Amber Willie Alice Albert Jean Wayne Denise Randy
  Frances Mason Danielle Vincent Marilyn Liam Natalie Roy Beverly Bobby Diana Caleb Brittany Bradley Theresa Russell Kayla Lucas Alexis`
    .trim()
    .split(/\s+/);
const commonNames =
  `Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore
  Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen
  Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts`
    .trim()
    .split(/\s+/);
const [starts, middles, ends] = [
  'Ash Bar Cald Dun Ell Fair Gran Hart Inge Jarv Kell Lang Mor Nor Oak Pem Quin Rad Sel Thorn Ul Vann Wes Yar Zel'.split(
    ' ',
  ),
  'a e i o en er in or and el'.split(' '),
  'berg by den field ford gate ham kins land ley low man mont ridge sen son stead ton ville ward wick wood worth'.split(
    ' ',
  ),
];
const streets =
  'Maple Oak Cedar Pine Elm Lake Hill Park River Sunset Main Church Washington Franklin Highland Mill'.split(' ');
const kinds = ['Street', 'Avenue', 'Road', 'Drive', 'Lane', 'Court'];

/** A pool of people with families, people of one name, and twins. */
export function aTown({ people, seed }: { people: number; seed: number }): Person[] {
  const random = randomOf(seed);
  const town: Person[] = [];
  const push = (person: Omit<Person, 'id' | 'identifier'>) => {
    const id = `p${town.length}`;
    town.push({ ...person, id, identifier: `MRN-${100_000 + town.length}` });
    return id;
  };
  while (town.length < people) {
    const home = { lastName: aLastName(random), phone: aPhone(random), address: anAddress(random) };
    const size = random() < 0.45 ? 1 : 2 + Math.floor(random() * 3);
    for (let member = 0; member < size && town.length < people; member += 1) {
      const firstName = pick(random, firstNames, 1.6);
      const birthDate = aDate(random);
      // Grown-ups have a phone of their own more often than not.
      const phone = random() < 0.6 ? aPhone(random) : home.phone;
      const email = random() < 0.5 ? `${firstName}.${town.length}@example.com`.toLowerCase() : null;
      const person = { ...home, firstName, birthDate, phone: random() < 0.95 ? phone : null, email, twinOf: null };
      const id = push(person);
      if (random() < 0.015 && town.length < people) {
        let twin = pick(random, firstNames, 1.6);
        while (twin === firstName || otherForms(twin.toLowerCase()).has(firstName.toLowerCase())) {
          twin = pick(random, firstNames, 1.6);
        }
        push({ ...person, firstName: twin, email: null, twinOf: id });
        const elder = town.at(-2);
        if (elder) elder.twinOf = town.at(-1)?.id ?? null;
      }
    }
  }
  return town;
}

/**
 * What is said of somebody: names with slips of the pen, short forms and new family names, dates with digits turned, and homes and
 * phones that they have moved on from. One in ten is of somebody who is not on file, half of those of a sibling or a namesake.
 */
export function sayings({ town, count, seed }: { town: Person[]; count: number; seed: number }): Saying[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (): Saying => {
    const person = town[Math.floor(random() * town.length)] ?? town[0];
    if (!person) throw new Error('a town has people');
    const { id, twinOf: _twin, identifier: _identifier, ...facts } = person;
    if (random() < 0.1) return { asked: aStranger(random, facts), meant: null };
    return { asked: asSaid(random, facts), meant: id };
  });
}

function asSaid(random: Random, person: Omit<PersonFacts, 'identifier'>): PersonFacts {
  const hasMoved = random() < 0.12;
  const forms = [...otherForms(person.firstName.toLowerCase())];
  const marries = random() < 0.01;
  return {
    ...person,
    firstName:
      random() < 0.12 && forms.length > 0
        ? capital(pick(random, forms))
        : random() < 0.05
          ? slip(random, person.firstName)
          : person.firstName,
    lastName: marries ? aLastName(random) : random() < 0.06 ? slip(random, person.lastName) : person.lastName,
    birthDate: random() < 0.03 ? null : random() < 0.04 ? slipOfDate(random, person.birthDate ?? '') : person.birthDate,
    phone: random() < 0.25 ? null : random() < 0.15 ? aPhone(random) : person.phone,
    email: random() < 0.6 ? null : person.email,
    address: random() < 0.4 ? null : hasMoved ? anAddress(random) : inOtherWords(random, person.address ?? ''),
    identifier: null,
  };
}

function aStranger(random: Random, person: Omit<PersonFacts, 'identifier'>): PersonFacts {
  const kin = random();
  if (kin < 0.2)
    return {
      ...person,
      firstName: pick(random, firstNames, 1.6),
      birthDate: aDate(random),
      email: null,
      identifier: null,
    };
  // A namesake.
  if (kin < 0.5)
    return {
      ...person,
      birthDate: aDate(random),
      phone: aPhone(random),
      address: anAddress(random),
      email: null,
      identifier: null,
    };
  return {
    firstName: pick(random, firstNames, 1.6),
    lastName: aLastName(random),
    birthDate: aDate(random),
    phone: aPhone(random),
    email: null,
    address: anAddress(random),
    identifier: null,
  };
}

/** One of a list; with a `skew` above 1 the first are the more frequent. */
const pick = <Value>(random: Random, list: readonly Value[], skew = 1): Value =>
  list[Math.floor(random() ** skew * list.length)] as Value;

const aLastName = (random: Random): string =>
  random() < 0.35
    ? pick(random, commonNames, 1.5)
    : `${pick(random, starts)}${random() < 0.5 ? pick(random, middles) : ''}${pick(random, ends)}`;

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('');

const aPhone = (random: Random): string => `+1${200 + Math.floor(random() * 700)}${digits(random, 7)}`;

function anAddress(random: Random): string {
  const zip = String(80_000 + Math.floor(random() * 250));
  return `${1 + Math.floor(random() * 2_000)} ${pick(random, streets)} ${pick(random, kinds)}, Denver, CO ${zip}`;
}

function aDate(random: Random): string {
  const at = Date.UTC(1936, 0, 1) + Math.floor(random() * 85 * 365) * 86_400_000;
  return new Date(at).toISOString().slice(0, 10);
}

function inOtherWords(random: Random, address: string): string {
  if (random() < 0.5) return address;
  return address.replace('Street', 'St.').replace('Avenue', 'Ave').replace('Drive', 'Dr').replace(', Denver, CO', ',');
}

/** One letter wrong, left out, doubled, or two turned round. */
function slip(random: Random, name: string): string {
  const at = 1 + Math.floor(random() * (name.length - 1));
  const kind = random();
  if (kind < 0.25) return name.slice(0, at) + name.slice(at + 1);
  if (kind < 0.5) return name.slice(0, at) + (name[at] ?? '') + name.slice(at);
  if (kind < 0.75) return name.slice(0, at - 1) + (name[at] ?? '') + (name[at - 1] ?? '') + name.slice(at + 1);
  return name.slice(0, at) + String.fromCharCode(97 + Math.floor(random() * 26)) + name.slice(at + 1);
}

function slipOfDate(random: Random, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  if (random() < 0.5 && Number(day) <= 12) return `${year}-${day}-${month}`;
  const turned = `${year.slice(0, 2)}${year[3] ?? ''}${year[2] ?? ''}`;
  return random() < 0.5
    ? `${turned}-${month}-${day}`
    : `${year.slice(0, 3)}${(Number(year[3]) + 1) % 10}-${month}-${day}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
