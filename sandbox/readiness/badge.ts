import type { Score } from '@clinic/shared/domain/sandbox/readiness/behaviours';

const HEIGHT = 20;
const CHARACTER = 6.5;
const PADDING = 12;

/** Readable by its contrast (4.5 : 1 and more with white). */
const colours = { good: '#1a7f37', partly: '#8a6100', bad: '#b42318' };

/** The score as an SVG of one line. */
export function badgeOf({ passed, failed, of }: Score): string {
  const label = 'EMR integration';
  const value = `${passed}/${of}`;
  const [left, right] = [label, value].map((text) => Math.round(text.length * CHARACTER + PADDING)) as [number, number];
  const width = left + right;
  const colour = passed === of ? colours.good : failed > 0 ? colours.bad : colours.partly;
  const text = (x: number, words: string) => `<text x="${x}" y="14">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${label}: ${value}">`,
    `<title>${label}: ${passed} of ${of} passed, ${failed} failed</title>`,
    `<rect width="${width}" height="${HEIGHT}" rx="3" fill="#444"/>`,
    `<path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${colour}"/>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(left / 2, label),
    text(left + right / 2, value),
    '</g></svg>',
  ].join('');
}
