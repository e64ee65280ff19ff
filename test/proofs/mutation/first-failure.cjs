const FileEnvironment = require('../../support/environment.cjs');

/** Of this process: all test files of a run are played in it. */
let hasFailed = false;

/**
 * Skips every test after the first that fails: one is enough to notice a fault. Jest's own `--bail` goes on to the end of the
 * file, and may end the process before the results are written.
 */
module.exports = class extends FileEnvironment {
  handleTestEvent(event, state) {
    if (event.name === 'setup') hasFailed = false;
    if (event.name === 'test_done' && event.test.errors.length > 0) hasFailed = true;
    if (event.name === 'test_start' && hasFailed) event.test.mode = 'skip';
    super.handleTestEvent(event, state);
  }
};
