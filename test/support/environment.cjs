const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const { monitorEventLoopDelay, PerformanceObserver } = require('node:perf_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const { globalRegistry } = require('zod');

// Every test file has our own functions compiled anew, and few run for long enough to gain by their being optimised early.
v8.setFlagsFromString('--liftoff-only');
if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--interrupt-budget=1000000');

/** What a file begins for the whole process: by which methods it begins, and how it ends. */
const lasting = [
  // Up to Node 22 each that was ever used costs every later promise of the process time and memory.
  { of: AsyncLocalStorage.prototype, methods: ['run', 'enterWith'], end: (storage) => storage.disable() },
  // The figures of a process, which each file would watch anew.
  { of: PerformanceObserver.prototype, methods: ['observe'], end: (observer) => observer.disconnect() },
  { of: prototypeOfDelays(), methods: ['enable'], end: (histogram) => histogram.disable() },
  // Temporal's replay looks at every promise of the process from then on.
  { of: v8.promiseHooks, methods: ['createHook'], end: (_hooks, stop) => stop() },
];
/** What Jest keeps of a file on the global object: its tests, and who is told of them, with all that the file has loaded. */
const ofTests = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);
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

/** Node aborts where it lists its handles while one that never ran is collected. */
function prototypeOfDelays() {
  const histogram = monitorEventLoopDelay();
  histogram.enable();
  histogram.disable();
  return Object.getPrototypeOf(histogram);
}

const { console: ofProcess } = globalThis;

/** Loads a library for the whole process: neither the stack of an error that it makes nor its console holds the file that asked first. */
function requireApart(file) {
  const { stackTraceLimit } = Error;
  const { console: ofFile } = globalThis;
  Error.stackTraceLimit = 0;
  globalThis.console = ofProcess;
  try {
    return require(file);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    globalThis.console = ofFile;
  }
}

function setScrypt(value) {
  crypto.scrypt = value;
  syncBuiltinESMExports();
}

/**
 * Test files run in the process's own context, with its own `Error` and `Date`, so that libraries that are loaded once for all of
 * them (`shared-library.cjs`) know what they are given. Our own modules are loaded anew for each file. What a file leaves in the
 * process is put back: its environment variables, `console`, `process.exit`, the registry of schemas.
 * Passwords are hashed in no time, but for files that begin with `@realPasswords`: what runs in other processes hashes as ever.
 */
module.exports = class FileEnvironment extends TestEnvironment {
  #hasRealPasswords;
  /** Undoes what the file has begun and how that is noted. */
  #ends = [];
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
    this.global.requireOnce = requireApart;
    if (!this.#hasRealPasswords) setScrypt(quickScrypt);
    this.#ends = lasting.flatMap(({ of, methods, end }) => methods.map((method) => noteBegun(of, method, end)));
  }

  /** A connection or a listener that stays remembers the test or hook in which it was made; what that holds of the file is let go. */
  handleTestEvent(event, { rootDescribeBlock }) {
    if (event.name === 'teardown') letGo(rootDescribeBlock);
  }

  async teardown() {
    setScrypt(scrypt);
    // Not in the turn of a promise, which what ends here has begun and would have ended: Node may abort over that later.
    await new Promise((resolve) =>
      setImmediate(() => {
        for (const end of this.#ends) end();
        resolve();
      }),
    );
    await super.teardown();
    const { env, exit, getBuiltinModule, console } = this.#process;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    Object.assign(process, { exit, getBuiltinModule });
    globalThis.console = console;
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (ofTests.has(key.description)) delete globalThis[key];
    globalRegistry.clear();
  }
};

function letGo({ hooks = [], children = [] }) {
  for (const each of [...hooks, ...children]) {
    letGo(each);
    for (const key of ['fn', 'asyncError', 'parent']) delete each[key];
  }
}

/** Notes on whom a method is called, and what it gave; returns how to have the method back and end those. */
function noteBegun(of, method, end) {
  const original = of[method];
  const begun = new Map();
  of[method] = function noted(...args) {
    const given = original.apply(this, args);
    begun.set(this, given);
    return given;
  };
  return () => {
    of[method] = original;
    for (const [each, given] of begun) end(each, given);
  };
}
