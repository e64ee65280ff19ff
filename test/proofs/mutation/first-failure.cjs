const { TestEnvironment } = require('jest-environment-node');

/** Of this process: with one worker, all test files run in it. */
let hasFailed = false;

/**
 * Skips every test after the first that fails: one is enough to notice a fault. Jest's own `--bail` goes on to the end of the
 * file, and may end the process before the results are written.
 */
module.exports = class extends TestEnvironment {
  handleTestEvent(event) {
    if (event.name === 'test_done' && event.test.errors.length > 0) hasFailed = true;
    if (event.name === 'test_start' && hasFailed) event.test.mode = 'skip';
  }
};
