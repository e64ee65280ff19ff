const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const methods = ['run', 'enterWith'];

/**
 * Every test file loads its modules anew, and with them storages that follow asynchronous work. Up to Node 22 each storage that
 * was ever used costs every later promise of the process time and memory, so a file's own are let go with the file.
 */
module.exports = class FileEnvironment extends TestEnvironment {
  #used = new Set();
  #originals = {};

  async setup() {
    await super.setup();
    const used = this.#used;
    for (const method of methods) {
      const original = AsyncLocalStorage.prototype[method];
      this.#originals[method] = original;
      AsyncLocalStorage.prototype[method] = function noted(...args) {
        used.add(this);
        return original.apply(this, args);
      };
    }
  }

  async teardown() {
    Object.assign(AsyncLocalStorage.prototype, this.#originals);
    for (const storage of this.#used) storage.disable();
    await super.teardown();
  }
};
