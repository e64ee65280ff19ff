import { sentence } from '#parts';
import { t } from '#texts';
import { capitalised } from '../../language';

/** The status stands beside these facts already; a document is reached through its patient, a proposal by its buttons, who is meant by an alarm through the audit. */
const leftOut = ['recoveryStatus', 'documentId', 'proposalId', 'intent', 'actor'];

/** The service sends nobody a link: the clinic's own system does, once the outcome event tells it to. */
const resumeLink = { true: t`Promised; your system sends it`, false: t`Not promised` };

/** What was said to a tool, field by field; what somebody wrote at length comes last. */
export const saidFacts = (said: Record<string, unknown> | null | undefined): [string, string][] =>
  Object.entries(said ?? {})
    .filter(([name, value]) => !leftOut.includes(name) && value !== null && value !== '')
    .toSorted(([one], [other]) => Number(one === 'notes') - Number(other === 'notes'))
    .map(([name, value]) => factOf(name, value));

function factOf(name: string, value: unknown): [string, string] {
  if (name === 'resumeLinkSent') return [t`Resume link`, value === true ? resumeLink.true : resumeLink.false];
  if (name.endsWith('Cents') && typeof value === 'number') {
    return [nameInWords(name.replace(/Cents$/, '')), (value / 100).toFixed(2)];
  }
  return [nameInWords(name), isShort.test(name) ? capitalised(inWords(value)) : inWords(value)];
}

const nameInWords = (name: string) => sentence(name.replaceAll(/([A-Z])/g, ' $1'));

/** Codes such as `resume_link` become words; what a person said stays as it is. */
function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  if (Array.isArray(value) && value.every((item) => typeof item === 'object')) return String(value.length);
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[a-z]+(?:_[a-z]+)+$/.test(text) ? sentence(text) : text;
}

/** Fields whose value is a word or a few, as `price`. */
const isShort = /(?:barrier|type|action|topic)$/i;
