import { AppError } from '@clinic/shared/errors';

/** NIST SP 800-63B-4, 3.1.1.2: 15 where a password is the only factor, 8 where it is not; at least 64 are allowed. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** Of a word that the password must not be made of, and of what must be left besides such words. */
const MIN_WORD = 4;
const MIN_OWN = 8;

const SERVICE = 'Clinic workflows';

/** Of whom a password is: what anybody who knows them would try. */
export interface PasswordOwner {
  email: string;
  name?: string;
  clinicName?: string | null;
}

/**
 * Throws `bad_request`, at the field that is named, where a password is too short or too long, is among those that everybody
 * tries, or is made of little but names or of one piece that repeats. There are no rules of composition (NIST SP 800-63B-4).
 */
export async function refuseWeakPassword(password: string, owner: PasswordOwner, field: string): Promise<void> {
  const why = await weaknessOf(password, owner);
  if (why) throw new AppError('bad_request', `${field} ${why}`, [{ path: field, message: why }]);
}

async function weaknessOf(password: string, owner: PasswordOwner): Promise<string | null> {
  const { min, max } = PASSWORD_LENGTH;
  if (Array.from(password).length < min) return `must be at least ${min} characters long`;
  // In the units in which requests are limited.
  if (password.length > max) return `must be at most ${max} characters long`;
  const text = password.normalize('NFKC').toLowerCase();
  if (isOneThing(text)) return 'must not be one piece that repeats, or a row of characters';
  const common = await commonPasswords();
  if (common.has(text) || common.has(lettersOf(text))) {
    return 'is one that many people use, or one with some characters added; choose another';
  }
  const own = wordsOf(owner).reduce((rest, word) => rest.replaceAll(word, ''), text);
  if (own.length < text.length && own.length < MIN_OWN) {
    return 'must not be made of your e-mail address, your name or the name of the clinic';
  }
  return null;
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`, `123456789012`: what nobody needs a list to try. */
function isOneThing(text: string): boolean {
  if (/^(.{1,4}?)\1+.{0,3}$/u.test(text)) return true;
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  // One break is that of a row that begins again, as 9 to 0.
  return [1, -1].some((step) => steps.filter((each) => each !== step).length <= 1);
}

/** Without what is put before and behind a word to make it long enough. */
const lettersOf = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

function wordsOf({ email, name = '', clinicName }: PasswordOwner): string[] {
  const words = [email, name, clinicName ?? '', SERVICE].join(' ').normalize('NFKC').toLowerCase();
  const found = new Set(words.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= MIN_WORD));
  return [...found].toSorted((a, b) => b.length - a.length);
}

let read: Promise<ReadonlySet<string>> | undefined;

/** Some fifty thousand, read when the first password is set. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  read ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  return read;
}
