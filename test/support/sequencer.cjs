const { basename, dirname } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Folders of what takes longest, whatever its files' size: whole stacks, faults, browsers, stories. */
const longest = ['local', 'faults', 'dashboard', 'stories', 'workflows'];

/** The longest first: nobody waits for a single file at the end. Jest itself knows durations from its second run on. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's method, not an array's
    const sorted = super.sort(tests);
    return sorted.some(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((one, other) => rank(one) - rank(other));
  }
};

function rank({ path }) {
  const index = longest.indexOf(basename(dirname(path)));
  return index === -1 ? longest.length : index;
}
