import { childNodesOf, ELEMENT, elementsIn, type Part, TEXT } from './document';

/** What a page says and offers, as text: one line for each block, `‹Save›` for a button, `[x]` for a box that is ticked. */
export function outlineOf(root: Part): string[] {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    const said = line.replaceAll(/\s+/g, ' ').trim();
    if (said !== '') lines.push(said);
    line = '';
  };
  const walk = (element: Part): void => {
    if (element.nodeType === TEXT) line += element.textContent ?? '';
    if (element.nodeType !== ELEMENT) return;
    const name = element.tagName.toLowerCase();
    if (isLeftOut(element, name)) return;
    const isBlock = blocks.has(name) || groups.has(element.parentElement?.getAttribute('role') ?? '');
    if (isBlock) end();
    const shown = controls[name]?.(element) ?? null;
    if (shown !== null) {
      line += ` ${shown} `;
      if (isBlock) end();
      return;
    }
    if (cells.has(name) && line.trim() !== '') line += ' | ';
    if (markers[name]) line += markers[name];
    line += statesOf(element);
    for (const child of childNodesOf(element)) walk(child);
    if (isBlock) end();
  };
  walk(root);
  end();
  return withFewOptions(lines);
}

const isOption = (line: string | undefined) => line?.includes('role=option') === true;

/** Countries and zones of time come with Node, not with the dashboard. */
function withFewOptions(lines: string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const isOneOfMany = isOption(line) && kept.slice(-MOST_OPTIONS).length === MOST_OPTIONS;
    if (!isOneOfMany || !kept.slice(-MOST_OPTIONS).every(isOption)) kept.push(line);
  }
  return kept;
}

/** Of a list to choose from, so many are written down. */
const MOST_OPTIONS = 20;

const blocks = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody thead tr ul'.split(
    ' ',
  ),
);
/** Each of what is in them stands on a line of its own. */
const groups = new Set(['group', 'menu', 'listbox', 'radiogroup', 'tablist', 'toolbar']);
const cells = new Set(['td', 'th']);
const markers: Record<string, string> = { h1: '# ', h2: '## ', h3: '### ', h4: '#### ', li: '- ' };

function isLeftOut(element: Part, name: string): boolean {
  return (
    ['style', 'script', 'svg', 'template'].includes(name) ||
    element.getAttribute('aria-hidden') === 'true' ||
    element.hasAttribute('hidden') ||
    element.style.display === 'none' ||
    (name === 'input' && element.getAttribute('type') === 'hidden')
  );
}

const controls: Record<string, (element: Part) => string | null> = {
  button: (element) => `‹${nameOf(element)}›${statesOf(element)}`,
  a: (element) => `${nameOf(element)} → ${element.getAttribute('href') ?? ''}${statesOf(element)}`,
  img: (element) => element.getAttribute('alt') ?? '',
  textarea: field,
  select: field,
  input: field,
};

function field(element: Part): string {
  const type = element.getAttribute('type') ?? element.tagName.toLowerCase();
  const state = ['checkbox', 'radio'].includes(type) ? (element.checked ? '[x]' : '[ ]') : `[${element.value}]`;
  const placeholder = element.getAttribute('placeholder');
  const described = spokenBy(element, 'aria-describedby');
  return `${nameOf(element)} ${state}${placeholder ? ` (${placeholder})` : ''}${described ? ` “${described}”` : ''}${statesOf(element)}`;
}

const spokenBy = (element: Part, attribute: string): string =>
  (element.getAttribute(attribute) ?? '')
    .split(' ')
    .map((id) => (id && element.ownerDocument.getElementById(id)?.textContent) ?? '')
    .join(' ')
    .trim();

/** The name by which somebody who hears the page knows it. */
export function nameOf(element: Part): string {
  const name =
    element.getAttribute('aria-label') ||
    spokenBy(element, 'aria-labelledby') ||
    (fields.has(element.tagName) && labelOf(element)?.textContent) ||
    textOf(element) ||
    element.getAttribute('title') ||
    '';
  return name.replaceAll(/\s+/g, ' ').trim();
}

const fields = new Set(['INPUT', 'SELECT', 'TEXTAREA']);

/** Near by: jsdom's own `labels` goes through the whole document for each field. */
function labelOf({ id, parentElement }: Part): Part | null {
  const isOfField = (each: Part) => each.tagName === 'LABEL' && each.getAttribute('for') === id;
  for (let around = parentElement; around; around = around.parentElement) {
    const [label] = around.tagName === 'LABEL' ? [around] : elementsIn(around, isOfField);
    if (label) return label;
  }
  return null;
}

function textOf(element: Part): string {
  if (element.nodeType === TEXT) return element.textContent ?? '';
  if (element.nodeType !== ELEMENT || isLeftOut(element, element.tagName.toLowerCase())) return '';
  return childNodesOf(element).map(textOf).join(' ');
}

const states = [
  'aria-current',
  'aria-selected',
  'aria-expanded',
  'aria-pressed',
  'aria-invalid',
  'aria-sort',
  'role',
  'title',
];

function statesOf(element: Part): string {
  const said = states.flatMap((state) => {
    const value = element.getAttribute(state);
    return value === null || value === 'false' || value === 'presentation'
      ? []
      : [`${state.replace('aria-', '')}=${value}`];
  });
  for (const flag of ['disabled', 'required', 'data-disabled', 'inert'])
    if (element.hasAttribute(flag)) said.push(flag);
  return said.length > 0 ? ` {${said.join(', ')}} ` : '';
}
