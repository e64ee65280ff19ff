import { isCollection, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** What a file says, and the line on which it says it. */
export interface ClinicFile {
  /** Sections by name; `{ env: NAME }` stands replaced by what the environment holds. */
  sections: Record<string, unknown>;
  /** The line of a field, or of the nearest thing around it that stands in the file. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface FileFault {
  line: number;
  /** As `voice.apiKey`; empty for the whole file. */
  path: string;
  message: string;
}

/** Everything that is wrong with a file at once, a line for each. */
export class FileFaults extends Error {
  constructor(file: string, faults: readonly FileFault[]) {
    const sorted = faults.toSorted((one, other) => one.line - other.line);
    super(
      sorted.map(({ line, path, message }) => `${file}:${line}: ${path === '' ? '' : `${path} `}${message}`).join('\n'),
    );
  }
}

/** Fields that hold secrets, wherever they stand. A header's value is one: it often is a key. */
const secretFields = new Set(['apiKey', 'token', 'accessToken', 'password', 'clientSecret', 'privateKey', 'value']);

export const isSecretField = (name: PropertyKey | undefined): boolean =>
  typeof name === 'string' && secretFields.has(name);

/** The clinic that a file names; undefined where it names none, or cannot be read. */
export function clinicNamedIn(text: string): string | undefined {
  const named: unknown = parseDocument(text).get('clinic');
  return typeof named === 'string' ? named : undefined;
}

/** Reads YAML 1.2, of which JSON is a part. Throws `FileFaults`: a secret that is written out is one of them. */
export function readClinicFile(file: string, text: string, env: NodeJS.ProcessEnv): ClinicFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number | undefined) => Math.max(1, lines.linePos(offset ?? 0).line);
  const broken = document.errors.map(({ pos: [from], message }) => ({
    line: lineAt(from),
    path: '',
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
  }));
  if (broken.length > 0) throw new FileFaults(file, broken);
  // A phone number is written as a number that begins with a plus.
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'number' && node.source?.startsWith('+')) node.value = node.source;
    },
  });
  const lineOf: ClinicFile['lineOf'] = (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const around = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
      const key = path[length - 1];
      const pair = isMap(around)
        ? around.items.find((each) => isScalar(each.key) && each.key.value === key)
        : undefined;
      const node = pair?.key ?? (isCollection(around) ? around.get(key, true) : undefined);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      if (Array.isArray(range) && typeof range[0] === 'number') return lineAt(range[0]);
    }
    return 1;
  };

  const faults: FileFault[] = [];
  const fault = (path: readonly PropertyKey[], message: string) =>
    void faults.push({ line: lineOf(path), path: path.join('.'), message });
  const resolve = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(value)) return value.map((entry, index) => resolve(entry, [...path, index]));
    if (typeof value !== 'object' || value === null) {
      if (isSecretField(path.at(-1)) && value !== null) {
        fault(path, 'is a secret and must not stand in the file: write { env: NAME }, and set NAME in the environment');
      }
      return value;
    }
    const { env: name, ...rest } = value as Record<string, unknown>;
    if (typeof name === 'string' && Object.keys(rest).length === 0) {
      if (!env[name]) fault(path, `is to be read from the environment, where ${name} is not set`);
      return env[name];
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each, [...path, key])]));
  };
  const sections = resolve(document.toJS(), []);
  if (typeof sections !== 'object' || sections === null || Array.isArray(sections)) {
    throw new FileFaults(file, [{ line: 1, path: '', message: 'must be a map of sections, as `providers:`' }]);
  }
  if (faults.length > 0) throw new FileFaults(file, faults);
  return { sections: { ...sections }, lineOf };
}
