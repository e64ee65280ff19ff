const { writeFileSync } = require('node:fs');
const FileEnvironment = require('../../support/environment.cjs');

const nameOf = ({ name, parent }) => (parent?.parent ? `${nameOf(parent)} ${name}` : name);

/** Writes which functions that say so (`withNotes`) each test has run to the file that `REACHED` names. */
module.exports = class extends FileEnvironment {
  #tests = [];
  #reached = new Set();

  async setup() {
    await super.setup();
    this.global.noteReached = (name) => void this.#reached.add(name);
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_start') this.#reached.clear();
    if (name === 'test_done')
      this.#tests.push({ name: nameOf(test), seconds: (test.duration ?? 0) / 1_000, functions: [...this.#reached] });
    if (name === 'run_finish') writeFileSync(process.env.REACHED, JSON.stringify(this.#tests));
  }
};
