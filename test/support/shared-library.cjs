const { createTransformer } = require('@swc/jest');

const asCommonJs = createTransformer({ jsc: { target: 'es2023' }, module: { type: 'commonjs' } });
const isModule = /^\s*(import|export)\b/m;

/**
 * Jest loads every module anew for each test file, which cost more than many a test. Libraries are loaded once for the whole
 * process instead: the environment gives Node's own `require`, and this transformer puts it in their place. What Jest runs outside
 * of test files (the global set-up) loads them as they are.
 */
module.exports = {
  process(source, file, options) {
    const { code } = isModule.test(source) ? asCommonJs.process(source, file, options) : { code: source };
    return {
      code: `if (typeof requireOnce === 'function') module.exports = requireOnce(${JSON.stringify(file)}); else {\n${code}\n}`,
    };
  },
};
