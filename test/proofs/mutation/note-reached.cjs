const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const FileEnvironment = require('../../support/environment.cjs');

const nameOf = ({ name, parent }) => (parent?.parent ? `${nameOf(parent)} ${name}` : name);

/** Writes which functions of the bundled dashboard each test has run, as `file#function`, to the file that `REACHED` names. */
module.exports = class extends FileEnvironment {
  #session = new Session();
  #tests = [];
  /** By where a function begins in the bundle. */
  #names = new Map();
  #modules = null;

  handleTestEvent({ name, test }) {
    if (name === 'run_start') {
      this.#session.connect();
      this.#ask('Profiler.enable');
      this.#ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    }
    if (name === 'test_start') this.#ask('Profiler.takePreciseCoverage');
    if (name === 'test_done')
      this.#tests.push({ name: nameOf(test), seconds: (test.duration ?? 0) / 1_000, functions: this.#functions() });
    if (name === 'run_finish') {
      writeFileSync(process.env.REACHED, JSON.stringify(this.#tests));
      this.#session.disconnect();
    }
  }

  #functions() {
    const bundled = this.#ask('Profiler.takePreciseCoverage').result.filter(({ url }) => url.endsWith('dashboard.js'));
    this.#modules ??= bundled.length > 0 ? this.#modulesOf(bundled[0].scriptId) : null;
    const ran = bundled.flatMap(({ functions }) => functions.filter(({ ranges }) => ranges[0].count > 0));
    return [...new Set(ran.map((each) => this.#nameOf(each)))].filter((each) => each.startsWith('dashboard/'));
  }

  #nameOf({ functionName, ranges: [{ startOffset }] }) {
    const known = this.#names.get(startOffset);
    if (known !== undefined) return known;
    const file = this.#modules.findLast(({ index }) => index <= startOffset)?.[1];
    // The bundler numbers those that have one name.
    const found = `${file}#${functionName.replace(/\d+$/, '')}`;
    this.#names.set(startOffset, found);
    return found;
  }

  /** Before each module the bundler says whose it is. */
  #modulesOf(scriptId) {
    this.#ask('Debugger.enable');
    const { scriptSource } = this.#ask('Debugger.getScriptSource', { scriptId });
    this.#ask('Debugger.disable');
    return [...scriptSource.matchAll(/^ *\/\/ (\S+\.\w+)$/gm)];
  }

  #ask(method, given) {
    let answer;
    this.#session.post(method, given, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }
};
