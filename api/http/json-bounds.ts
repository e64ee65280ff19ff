import { MAX_LEVELS } from '@clinic/shared/domain/storable';
import { AppError } from '@clinic/shared/errors';

/** The report of an hour's call has some fifty thousand; parsing this many takes a tenth of a second. */
const MAX_VALUES = 500_000;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPENS_LIST, CLOSES_LIST, OPENS_OBJECT, CLOSES_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Throws for JSON that is nested deeper or holds more values than anything a clinic or a platform sends. It reads the bytes
 * once, before they are parsed: what a parser and those who walk its result do with such a body blocks everybody else.
 */
export function assertParsable(json: Buffer): void {
  let level = 0;
  let values = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfText(json, index);
    else if (byte === COMMA) values += 1;
    else if (byte === CLOSES_LIST || byte === CLOSES_OBJECT) level -= 1;
    else if (byte === OPENS_LIST || byte === OPENS_OBJECT) {
      level += 1;
      values += 1;
    }
    if (level > MAX_LEVELS) throw new AppError('bad_request', 'The request body is nested too deeply');
    if (values > MAX_VALUES) throw new AppError('payload_too_large', 'The request body holds too many values');
  }
}

/** Where the text ends that begins at this quote: the next quote that no backslash escapes. */
function endOfText(json: Buffer, from: number): number {
  for (let at = json.indexOf(QUOTE, from + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}
