const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const { globalRegistry } = require('zod');

// Every test file has our own functions compiled anew, and few run for long enough to gain by their being optimised early.
v8.setFlagsFromString('--liftoff-only');
if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--interrupt-budget=1000000');

const methods = ['run', 'enterWith'];
const { compileFunction } = vm;
const { scrypt } = crypto;

/** Jest's compiler of modules knows contexts only by what it is given; ours stand for the process's own. */
const contexts = new WeakSet();
/** By file: what was compiled, and the function that came of it. */
const compiled = new Map();

/** A module is run anew for each test file, and compiled once for all of them. */
vm.compileFunction = (code, parameters, options) => {
  if (!contexts.has(options?.parsingContext)) return compileFunction(code, parameters, options);
  const known = compiled.get(options.filename);
  if (known?.code === code && String(known.parameters) === String(parameters)) return known.run;
  const run = compileFunction(code, parameters, { filename: options.filename });
  compiled.set(options.filename, { code, parameters, run });
  return run;
};

/** A hash of a password costs a tenth of a second, on purpose. Tests make hundreds of accounts and prove nothing by that. */
function quickScrypt(password, salt, length, options, callback) {
  scrypt(password, salt, length, { ...options, N: 2 }, callback);
}

function setScrypt(value) {
  crypto.scrypt = value;
  syncBuiltinESMExports();
}

/**
 * Test files run in the process's own context, with its own `Error` and `Date`, so that libraries that are loaded once for all of
 * them (`shared-library.cjs`) know what they are given. Our own modules are loaded anew for each file. What a file leaves in the
 * process is put back: its environment variables, `console`, `process.exit`, the registry of schemas.
 * A file's own storages that follow asynchronous work are let go with the file: up to Node 22 each that was ever used costs every
 * later promise of the process time and memory.
 * Passwords are hashed in no time, but for files that begin with `@realPasswords`: what runs in other processes hashes as ever.
 */
module.exports = class FileEnvironment extends TestEnvironment {
  #hasRealPasswords;
  #used = new Set();
  #originals = {};
  #process = {
    env: { ...process.env },
    exit: process.exit,
    getBuiltinModule: process.getBuiltinModule,
    console: globalThis.console,
  };

  constructor(config, context) {
    super(config, context);
    this.#hasRealPasswords = 'realPasswords' in context.docblockPragmas;
    contexts.add(this.context);
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    this.global.requireOnce = require;
    if (!this.#hasRealPasswords) setScrypt(quickScrypt);
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
    setScrypt(scrypt);
    Object.assign(AsyncLocalStorage.prototype, this.#originals);
    for (const storage of this.#used) storage.disable();
    await super.teardown();
    const { env, exit, getBuiltinModule, console } = this.#process;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    Object.assign(process, { exit, getBuiltinModule });
    globalThis.console = console;
    globalRegistry.clear();
  }
};
