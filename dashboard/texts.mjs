// Takes the texts of the sources into catalogue/es.po: `npm run texts -w @clinic/dashboard`. With --check it writes nothing, and fails
// where the catalogue is not what the sources give, where a message has no Spanish, and where a text is not in the catalogue.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { catalogueFile, extracted, parsed, room, sources } from './catalogue.mjs';

/** What is text and belongs to no language, and the names of keys and products. */
const namesOnly = new Set(['Clinic workflows', 'Escape', 'Esc', 'Home', 'End', 'Enter', 'Ctrl']);
const browsers = new Set(['Firefox', 'Edg', 'Chrome', 'Safari', 'Windows', 'Android', 'Mac OS', 'Linux', 'Edge']);
/** Fonts, what languages call themselves, the names of platforms, and bodies as they are sent. */
const withoutTexts = new Set([
  'theme.ts',
  'language.ts',
  'pages/voice/platform-names.ts',
  'pages/calendar/proposed-visit-type.ts',
  'pages/events/inbound-samples.ts',
]);
/** Commands and headers as they are typed. */
const code = /^(?:curl |npm run |webhook-id: |content-type: |user-agent: |x-clinic-simulated: |Bearer |\(max-width: )/;

const stored = readFileSync(catalogueFile, 'utf8');
const fresh = await extracted(stored);

if (process.argv.includes('--check')) check();
else writeFileSync(catalogueFile, fresh);

function check() {
  const problems = [
    ...(fresh === stored ? [] : ['The catalogue is not what the sources give: npm run texts -w @clinic/dashboard']),
    ...Object.values(parsed(fresh)).flatMap(translated),
    ...sources().flatMap(bareTexts),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

function translated({ message, translation }) {
  if (!translation) return [`No Spanish in catalogue/es.po: ${message}`];
  return placesOf(message) === placesOf(translation) ? [] : [`Other placeholders in catalogue/es.po: ${message}`];
}

/** `{0}`, `{name}`, `{count, plural` and `<0>`; what stands inside a plural form is text. */
function placesOf(message = '') {
  return [...new Set(message.match(/\{\w+(?:\}|, )|<\/?\d+\/?>/g))]
    .filter((place) => !/^\{[a-záéíóúñ]+\}$/i.test(place) || !message.includes(', plural'))
    .toSorted()
    .join();
}

function bareTexts(name) {
  if (withoutTexts.has(name)) return [];
  const source = readFileSync(join(room, name), 'utf8');
  const found = [];
  const note = (node, text) =>
    found.push(`${name}:${source.slice(0, node.start).split('\n').length} is not in the catalogue: ${text.trim()}`);
  walk(parseSync(name, source, { lang: name.endsWith('x') ? 'tsx' : 'ts' }).program);
  return found;

  function walk(node) {
    if (node.type === 'JSXText' && /\p{L}/u.test(node.value) && !namesOnly.has(node.value.trim()))
      note(node, node.value);
    if (node.type === 'Literal' && typeof node.value === 'string' && isText(node.value)) note(node, node.value);
    if (node.type === 'TemplateLiteral') {
      const text = node.quasis.map(({ value }) => value.cooked).join('…');
      if (isSentence(text) && !code.test(text)) note(node, text);
    }
    for (const child of childrenOf(node, source)) walk(child);
  }
}

/** Everything below a node that people may come to read. */
function childrenOf(node, source) {
  const textOf = ({ start, end }) => source.slice(start, end);
  if (/^(?:TS(?!As|Satisfies)|Import)/.test(node.type)) return [];
  if (node.type === 'TaggedTemplateExpression') return node.quasi.expressions;
  if (node.type === 'BinaryExpression' && /^[!=]==?$|^in$/.test(node.operator)) return [];
  if (node.type === 'NewExpression' && /^(?:Error|Intl)/.test(textOf(node.callee))) return [];
  if (
    node.type === 'CallExpression' &&
    /(?:^(?:t|plural)$|\.(?:endsWith|replace|replaceAll|closest|querySelector(?:All)?(?:<\w+>)?)$)/.test(
      textOf(node.callee),
    )
  )
    return [];
  if (node.type === 'Property' && textOf(node.key) === 'queryKey') return [];
  if (node.type === 'JSXAttribute' && textOf(node.name) === 'aria-keyshortcuts') return [];
  if (node.type === 'Property') return node.computed ? [node.key, node.value] : [node.value];
  if (node.type === 'SwitchCase') return node.consequent;
  if (node.type === 'JSXElement') {
    const tag = textOf(node.openingElement.name);
    // Children of <Trans> are the message; what is computed inside it is looked at.
    const isWithin = tag === 'Trans' || /^(?:code|Code|Kbd|pre)$/.test(tag);
    return [...node.openingElement.attributes, ...(isWithin ? expressionsIn(node) : node.children)];
  }
  return Object.entries(node).flatMap(([key, value]) =>
    /^(?:type|typeAnnotation|typeArguments|typeParameters|returnType)$/.test(key)
      ? []
      : [value].flat().filter((each) => typeof each?.type === 'string'),
  );
}

function expressionsIn({ children = [] }) {
  return children.flatMap((child) =>
    child.type === 'JSXElement' || child.type === 'JSXFragment'
      ? [...(child.openingElement?.attributes ?? []), ...expressionsIn(child)]
      : child.type === 'JSXExpressionContainer' && child.expression.type !== 'Literal'
        ? [child]
        : [],
  );
}

function isText(text) {
  return (
    !namesOnly.has(text) &&
    !browsers.has(text) &&
    !code.test(text) &&
    (isSentence(text) || /^[A-Z][a-z’'-]+[:.…?!]?$/.test(text))
  );
}

/** Two words or more; not a list of CSS, an address or a code. */
function isSentence(text) {
  return (
    /\p{L}{2,}[,.:;”]? |\s\p{L}{2,}/u.test(text.trim()) &&
    !/^(?:\/|\?|#|https?:|var\(|\d+px|[a-z-]+: ?\d|--)|%$/.test(text.trim())
  );
}
