// The catalogue of the dashboard's texts: which sources hold texts, what they say, and the Spanish of each (catalogue/es.po).
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatter } from '@lingui/format-po';
import { messagesIn } from './macros.mjs';

export const room = dirname(fileURLToPath(import.meta.url));
export const catalogueFile = join(room, 'catalogue', 'es.po');

const po = formatter({ lineNumbers: false });
const context = { locale: 'es', sourceLocale: 'en', filename: catalogueFile };

/** The files that may hold a text, by their path below the dashboard. */
export const sources = () =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /\.tsx?$/.test(name) && !/^(?:node_modules|dist|http\/client)\/|^vite\.config|\.d\.ts$/.test(name),
    )
    .toSorted((one, other) => one.localeCompare(other));

/** Messages by their id: `message` in English, `translation` in Spanish or empty. */
export const parsed = (text) => po.parse(text, context);

/** What the sources say now as a catalogue, with the Spanish that `existing` has. */
export async function extracted(existing) {
  const known = parsed(existing);
  const found = {};
  for (const name of sources()) {
    const source = readFileSync(join(room, name), 'utf8');
    if (!source.includes("'#texts'")) continue;
    for (const { id, message, context: meaning, placeholders } of await messagesIn(source, name)) {
      found[id] ??= {
        message,
        context: meaning,
        translation: known[id]?.translation ?? '',
        comments: [],
        placeholders: Object.fromEntries(Object.entries(placeholders).map(([place, code]) => [place, [code]])),
        origin: [],
        extra: known[id]?.extra,
      };
      found[id].origin.push([name]);
    }
  }
  const inOrder = Object.entries(found).toSorted(
    ([, one], [, other]) => compare(one.message, other.message) || compare(one.context ?? '', other.context ?? ''),
  );
  return po.serialize(Object.fromEntries(inOrder), { ...context, existing });
}

/** By the codes of the characters, so that the order is the same on every machine. */
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
