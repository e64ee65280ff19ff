import { otherForms } from './nicknames';

/**
 * Who may be meant by what is said of a person: each field that agrees or differs adds the logarithm of how much likelier that is
 * for one person than for two (Fellegi and Sunter, 1969), and the sum becomes a probability.
 */

/** What is known of a person, as it was written. Texts that are missing are empty or null. */
export interface PersonFacts {
  firstName: string;
  lastName: string;
  /** YYYY-MM-DD. */
  birthDate: string | null;
  /** In E.164. */
  phone: string | null;
  email: string | null;
  address: string | null;
  identifier: string | null;
}

export type MatchGrade = 'certain' | 'probable' | 'possible' | 'certainly-not';

export interface Graded<Candidate extends PersonFacts> {
  candidate: Candidate;
  grade: MatchGrade;
  /** How probable it is that this is who is meant: from 0 to 1. */
  score: number;
}

/** What candidates are looked up by: anyone who agrees in one of them is one. */
export interface LookUps {
  identifier: string | null;
  phone: string | null;
  /** The date as given, and as a slip of the pen would have made it. */
  birthDates: string[];
  /** First and last name with a space, in lower case, as written and in its other forms. */
  fullNames: string[];
}

/** How the candidates of a person are found, without reading everybody. */
export function lookUpsOf({ identifier, phone, birthDate, firstName, lastName }: PersonFacts): LookUps {
  const [first, last] = [firstName.trim().toLowerCase(), lastName.trim().toLowerCase()];
  const firstNames = [first, ...otherForms(plain(firstName))].flatMap(spellingsOf);
  const lastNames = spellingsOf(last);
  const fullNames = first && last ? firstNames.flatMap((name) => lastNames.map((each) => `${name} ${each}`)) : [];
  return {
    identifier,
    phone,
    birthDates: birthDate ? [birthDate, ...slipsOfDate(birthDate)] : [],
    fullNames: [...new Set([...fullNames, ...(first && last ? [`${last} ${first}`] : [])])],
  };
}

/** Whether there is anything to look candidates up by. */
export const canLookUp = ({ identifier, phone, birthDates, fullNames }: LookUps): boolean =>
  identifier !== null || phone !== null || birthDates.length > 0 || fullNames.length > 0;

/** Of two records in a clinic, one pair in so many is of the same person: bits. */
const PRIOR = -16.6;
const CERTAIN = 0.9999;
const PROBABLE = 0.9;
const POSSIBLE = 0.05;
/** Below it nobody would ask. */
const SHOWN = 0.0001;

/**
 * Who may be meant, the likeliest first. `certain` is one at most: whose name and birth date agree and something else besides, while
 * nobody else on file could be meant. Twins are never certain, since what tells them apart is one word.
 */
export function gradeCandidates<Candidate extends PersonFacts>(
  asked: PersonFacts,
  candidates: readonly Candidate[],
): Graded<Candidate>[] {
  const graded = compared(asked, candidates).filter(
    ({ score, agreements }) => score >= SHOWN || agreements.identifier === 'same',
  );
  const rivals = graded.filter(({ score, agreements }) => score >= POSSIBLE || isSibling(agreements));
  return graded.map(({ candidate, agreements, score }) => ({
    candidate,
    score: Math.round(score * 10_000) / 10_000,
    grade: gradeOf({ score, agreements, isAlone: rivals.every((rival) => rival.candidate === candidate) }),
  }));
}

/** What a person who looks at two records sees to be the same in them. */
export const likenesses = ['name', 'birthDate', 'phone', 'email'] as const;
export type Likeness = (typeof likenesses)[number];

export interface Lookalike<Candidate extends PersonFacts> {
  candidate: Candidate;
  score: number;
  /** What agrees, as it is written or nearly so. */
  alike: Likeness[];
  /** Those of `alike` that are written only nearly so. */
  similar: Likeness[];
}

/** Who on file may be the same person, or is reached at the same phone: what somebody sees before they register one more. */
export const lookalikesOf = <Candidate extends PersonFacts>(
  asked: PersonFacts,
  candidates: readonly Candidate[],
): Lookalike<Candidate>[] =>
  compared(asked, candidates)
    .filter(({ score, agreements }) => score >= POSSIBLE || agreements.phone === 'same')
    .map(({ candidate, score, agreements }) => {
      const alike = likenesses.filter((likeness) => agreementsIn(agreements, likeness).every(isNear));
      return {
        candidate,
        score: Math.round(score * 10_000) / 10_000,
        alike,
        similar: alike.filter((likeness) => agreementsIn(agreements, likeness).some((each) => each !== 'same')),
      };
    });

const agreementsIn = ({ firstName, lastName, ...others }: Agreements, likeness: Likeness): Agreement[] =>
  likeness === 'name' ? [firstName, lastName] : [others[likeness]];

const isNear = (agreement: Agreement): boolean =>
  agreement === 'same' || agreement === 'other form' || agreement === 'close';

/** The likeliest first. */
function compared<Candidate extends PersonFacts>(asked: PersonFacts, candidates: readonly Candidate[]) {
  const known = prepared(asked);
  return candidates
    .map((candidate) => {
      const agreements = compare(known, prepared(candidate));
      return { candidate, agreements, score: probabilityOf(agreements) };
    })
    .toSorted((one, other) => other.score - one.score);
}

function gradeOf({
  score,
  agreements,
  isAlone,
}: {
  score: number;
  agreements: Agreements;
  isAlone: boolean;
}): MatchGrade {
  if (score >= CERTAIN && isAlone && isBeyondDoubt(agreements)) return 'certain';
  if (score >= PROBABLE) return 'probable';
  return score >= POSSIBLE ? 'possible' : 'certainly-not';
}

/** Name and birth date as on file, and one thing more that few share. */
function isBeyondDoubt({ firstName, lastName, birthDate, phone, email, address, identifier }: Agreements): boolean {
  const isNamed = (firstName === 'same' || firstName === 'other form') && lastName === 'same';
  const hasMore = [phone, email, address, identifier].includes('same');
  return isNamed && birthDate === 'same' && hasMore && identifier !== 'different';
}

/** Born on the same day under the same family name or in the same home: a twin, as far as anybody can see. */
const isSibling = ({ lastName, birthDate, phone, address }: Agreements): boolean =>
  birthDate === 'same' && (lastName === 'same' || lastName === 'close' || phone === 'same' || address === 'same');

type Agreement = 'same' | 'other form' | 'close' | 'initial' | 'part' | 'different' | 'unknown';

interface Agreements {
  firstName: Agreement;
  lastName: Agreement;
  birthDate: Agreement;
  phone: Agreement;
  email: Agreement;
  address: Agreement;
  identifier: Agreement;
}

/**
 * Bits for and against: log2 of how often a field agrees so in two records of one person, over how often in two of different
 * people. A first name is shared by about one pair in 150, a family name by one in 400, a birth date by one in 25,000.
 */
const weights: Record<keyof Agreements, Partial<Record<Agreement, number>>> = {
  firstName: { same: 7, 'other form': 5, close: 4, initial: 2, different: -5 },
  lastName: { same: 8.5, close: 5.5, part: 5, different: -3.5 },
  birthDate: { same: 14, close: 6.5, part: 1, different: -6 },
  phone: { same: 11, close: 6, different: -1.5 },
  email: { same: 12, different: -0.5 },
  address: { same: 9, part: 2, different: -1 },
  identifier: { same: 14, different: 0 },
};

function probabilityOf(agreements: Agreements): number {
  const bits = (Object.keys(weights) as (keyof Agreements)[]).reduce(
    (sum, field) => sum + (weights[field][agreements[field]] ?? 0),
    PRIOR,
  );
  return 1 / (1 + 2 ** -bits);
}

/** A name without accents, and as it is spelled where the keyboard has no umlauts: who has either in common has the same. */
interface Written {
  plain: string;
  spelledOut: string;
}

const written = (name: string): Written => ({ plain: plain(name), spelledOut: plain(spelledOut(name)) });

/** A person as it is compared. */
interface Prepared {
  first: Written;
  last: Written;
  lastParts: string[];
  birthDate: string | null;
  phone: string | null;
  email: string | null;
  address: { text: string; number: string; zip: string } | null;
  identifier: string | null;
}

function prepared({ firstName, lastName, birthDate, phone, email, address, identifier }: PersonFacts): Prepared {
  return {
    first: written(firstName.trim().split(/\s+/)[0] ?? ''),
    last: written(lastName),
    lastParts: lastName.split(/[\s-]+/).map(plain),
    birthDate,
    phone,
    email: email?.trim().toLowerCase() ?? null,
    address: addressOf(address),
    identifier,
  };
}

function compare(asked: Prepared, found: Prepared): Agreements {
  const straight = { firstName: compareFirst(asked.first, found.first), lastName: compareLast(asked, found) };
  const areTurned =
    straight.lastName === 'different' &&
    isOneName(asked.first, found.last) &&
    compareFirst(asked.last, found.first) === 'same';
  return {
    // First and family name in each other's place: it is one person, but nothing to be certain by.
    ...(areTurned ? { firstName: 'close' as const, lastName: 'close' as const } : straight),
    birthDate: compareDates(asked.birthDate, found.birthDate),
    phone: compareTexts(asked.phone, found.phone, 1),
    email: compareTexts(asked.email, found.email, 0),
    address: compareAddresses(asked.address, found.address),
    identifier: compareTexts(asked.identifier, found.identifier, 0),
  };
}

function compareFirst(asked: Written, found: Written): Agreement {
  const [one, other] = [asked.plain, found.plain];
  if (one === '' || other === '') return 'unknown';
  if (isOneName(asked, found)) return 'same';
  if (otherForms(one).has(other)) return 'other form';
  if (one.length === 1 || other.length === 1) return one[0] === other[0] ? 'initial' : 'different';
  return isSlip(one, other) ? 'close' : 'different';
}

function compareLast(
  asked: Pick<Prepared, 'last' | 'lastParts'>,
  found: Pick<Prepared, 'last' | 'lastParts'>,
): Agreement {
  const [one, other] = [asked.last.plain, found.last.plain];
  if (one === '' || other === '') return 'unknown';
  if (isOneName(asked.last, found.last)) return 'same';
  if (isSlip(one, other) || soundOf(one) === soundOf(other)) return 'close';
  return asked.lastParts.some((part) => part.length > 2 && found.lastParts.includes(part)) ? 'part' : 'different';
}

const isOneName = (one: Written, other: Written): boolean =>
  one.plain === other.plain || one.spelledOut === other.spelledOut;

function compareTexts(asked: string | null, found: string | null, slips: 0 | 1): Agreement {
  if (!asked || !found) return 'unknown';
  if (asked === found) return 'same';
  return slips === 1 && editDistance(asked, found, 1) <= 1 ? 'close' : 'different';
}

function compareDates(asked: string | null, found: string | null): Agreement {
  if (!asked || !found) return 'unknown';
  if (asked === found) return 'same';
  if (editDistance(asked, found, 1) <= 1 || dayAndMonthTurned(asked) === found) return 'close';
  const parts = found.split('-');
  return asked.split('-').filter((part, index) => part === parts[index]).length === 2 ? 'part' : 'different';
}

function compareAddresses(asked: Prepared['address'], found: Prepared['address']): Agreement {
  if (!asked || !found) return 'unknown';
  if (asked.text === found.text) return 'same';
  const isSameZip = asked.zip !== '' && asked.zip === found.zip;
  if (isSameZip && asked.number !== '' && asked.number === found.number) return 'same';
  return isSameZip ? 'part' : 'different';
}

const words: Record<string, string> = {
  street: 'st',
  avenue: 'ave',
  road: 'rd',
  drive: 'dr',
  lane: 'ln',
  court: 'ct',
  boulevard: 'blvd',
  apartment: 'apt',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
};

function addressOf(address: string | null): Prepared['address'] {
  if (address === null || address.trim() === '') return null;
  const parts = withoutMarks(address)
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) => words[word] ?? word);
  const number = /^\d+[a-z]?$/.test(parts[0] ?? '') ? (parts[0] ?? '') : '';
  const zip = parts.slice(1).findLast((part) => /^\d{5}$/.test(part)) ?? '';
  return { text: parts.join(' '), number, zip };
}

const withoutMarks = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');

/** A name in letters alone: without case, accents, spaces, hyphens and apostrophes. */
const plain = (name: string): string => withoutMarks(name).replaceAll(/[^\p{L}]/gu, '');

/** `Schroeder` for `Schröder`. The rule is that of `spelled_out` in the database. */
const spelledOut = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/([aou])\u0308/giu, '$1e')
    .normalize();

/** A name in lower case as it is written, without umlauts and with what might be one. */
const spellingsOf = (name: string): string[] => [
  ...new Set([name, spelledOut(name).replaceAll('ß', 'ss'), name.replaceAll(/([aou])e/g, '$1\u0308').normalize()]),
];

/** One slip of the pen in a short name, two in a long one. */
function isSlip(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  if (shorter < 3) return false;
  const slips = shorter >= 8 ? 2 : 1;
  return editDistance(one, other, slips) <= slips;
}

/** Letters changed, left out, added, or two neighbours turned round; more than `atMost` is returned as one more than that. */
export function editDistance(one: string, other: string, atMost: number): number {
  if (Math.abs(one.length - other.length) > atMost) return atMost + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + Number(!isSame),
      );
      const isTurned =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isTurned) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > atMost) return atMost + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? atMost + 1;
}

const sounds = new Map<string, string>();
for (const [letters, sound] of [
  ['bfpv', '1'],
  ['cgjkqsxz', '2'],
  ['dt', '3'],
  ['l', '4'],
  ['mn', '5'],
  ['r', '6'],
] as const) {
  for (const letter of letters) sounds.set(letter, sound);
}

/** The name as it sounds: Soundex without its limit of four letters, so that long names that begin alike stay apart. */
function soundOf(name: string): string {
  let code = name[0] ?? '';
  let before = sounds.get(code) ?? '';
  for (const letter of name.slice(1)) {
    const sound = sounds.get(letter) ?? '';
    if (sound !== '' && sound !== before) code += sound;
    if (letter !== 'h' && letter !== 'w') before = sound;
  }
  return code;
}

const dayAndMonthTurned = (date: string): string => `${date.slice(0, 5)}${date.slice(8)}-${date.slice(5, 7)}`;

/** Dates that one slip makes of another: day and month turned, two digits turned, one digit wrong in a likely way. */
function slipsOfDate(date: string): string[] {
  const slips = new Set<string>([dayAndMonthTurned(date)]);
  const digits = [2, 3, 5, 6, 8, 9];
  for (const at of digits) {
    for (const digit of '0123456789') slips.add(date.slice(0, at) + digit + date.slice(at + 1));
  }
  for (const [one, other] of [
    [2, 3],
    [5, 6],
    [8, 9],
  ] as const) {
    const turned = date.split('');
    [turned[one], turned[other]] = [turned[other] ?? '', turned[one] ?? ''];
    slips.add(turned.join(''));
  }
  slips.delete(date);
  return [...slips].filter(isPossibleDate);
}

function isPossibleDate(date: string): boolean {
  const [, month = 0, day = 0] = date.split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}
