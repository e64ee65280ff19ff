const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const FileEnvironment = require('../../support/environment.cjs');

const nameOf = ({ name, parent }) => (parent?.parent ? `${nameOf(parent)} ${name}` : name);

/** Writes to the folder `REACHED` which functions that say so (`withNotes`) a file of tests has run, and which each of its tests. */
module.exports = class extends FileEnvironment {
  #test;
  /** Of its text, by which is seen that it was changed later. */
  #digest;
  #tests = [];
  /** Where each function stands in the list. */
  #places = new Map();
  #reached = new Set();

  constructor(config, context) {
    super(config, context);
    this.#test = relative(config.globalConfig.rootDir, context.testPath);
    this.#digest = createHash('sha256').update(readFileSync(context.testPath)).digest('hex');
  }

  async setup() {
    await super.setup();
    this.global.noteReached = (name) => {
      const place = this.#places.get(name) ?? this.#places.size;
      this.#places.set(name, place);
      this.#reached.add(place);
    };
  }

  handleTestEvent(event, state) {
    const { name, test } = event;
    if (name === 'test_start') this.#reached = new Set();
    if (name === 'test_done')
      this.#tests.push({ name: nameOf(test), seconds: (test.duration ?? 0) / 1_000, functions: [...this.#reached] });
    if (name === 'run_finish') this.#write();
    super.handleTestEvent(event, state);
  }

  #write() {
    mkdirSync(process.env.REACHED, { recursive: true });
    const functions = [...this.#places.keys()];
    const noted = { test: this.#test, digest: this.#digest, functions, tests: this.#tests };
    writeFileSync(join(process.env.REACHED, `${this.#test.replaceAll('/', '.')}.json`), JSON.stringify(noted));
  }
};
