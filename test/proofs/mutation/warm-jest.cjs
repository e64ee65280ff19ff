const { runCLI } = require('jest');

const root = process.cwd();

/** Plays test files in this process, one run after another: libraries are loaded once for all of them. */
process.on('message', (asked) => void play(asked));

async function play({ paths, names, environment, testEnvironment }) {
  Object.assign(process.env, environment);
  try {
    const { results } = await runCLI(
      {
        $0: 'jest',
        _: paths,
        config: 'jest.config.cjs',
        rootDir: root,
        runTestsByPath: true,
        runInBand: true,
        silent: true,
        reporters: [],
        testTimeout: 60_000,
        testEnvironment: `<rootDir>/test/proofs/mutation/${testEnvironment}.cjs`,
        ...(names && { testNamePattern: names }),
      },
      [root],
    );
    process.send({
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      unloaded: results.numRuntimeErrorTestSuites,
      message: results.testResults.map((each) => each.failureMessage ?? '').join('\n'),
      failedName:
        results.testResults.flatMap((each) => each.testResults).find(({ status }) => status === 'failed')?.fullName ??
        null,
    });
  } catch (error) {
    process.send({ passed: 0, failed: 0, unloaded: 1, message: String(error), failedName: null });
  }
}

process.on('disconnect', () => process.exit());
