const phone = /\+?\(?\d[\d\s().-]{5,}\d/;
const email = /\S+@\S+\.\S+/;
const isoDate = /\b\d{4}-\d{2}-\d{2}\b/;

export type TypedPerson = {
  firstName: string;
  lastName: string;
  phone: string;
  email: string;
  dateOfBirth: string;
};

/** What somebody typed to find a person, as the fields of a new one: `wendy ivanov 303 555 0142`. Dates are as the service has read them. */
export function typedPerson(text: string): TypedPerson {
  let rest = text;
  const take = (pattern: RegExp): string => {
    const [found = ''] = pattern.exec(rest) ?? [];
    rest = rest.replace(found, ' ');
    return found.trim();
  };
  const dateOfBirth = take(isoDate);
  const mail = take(email);
  const number = take(phone);
  // "Ivanov, Wendy" as in lists; what has digits left is no name.
  const [last = '', ...first] = rest.split(',');
  const words = (first.length > 0 ? `${first.join(' ')} ${last}` : last)
    .split(/\s+/)
    .filter((word) => word !== '' && !/[\d/]/.test(word))
    .map(withCapital);
  const lastName = words.length > 1 ? (words.at(-1) ?? '') : '';
  return {
    firstName: words.length > 1 ? words.slice(0, -1).join(' ') : (words[0] ?? ''),
    lastName,
    phone: number,
    email: mail,
    dateOfBirth,
  };
}

const withCapital = (word: string): string =>
  word === word.toLowerCase() ? word.charAt(0).toUpperCase() + word.slice(1) : word;
