// Lingui's macros in a source: replaced by look-ups, as a browser needs it, or gathered as messages, as the catalogue does.
import { traverse, transformAsync, types } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { makeConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';

const linguiConfig = makeConfig(
  { locales: ['en', 'es'], sourceLocale: 'en', macro: { corePackage: ['#texts'], jsxPackage: ['#texts'] } },
  { skipValidation: true },
);

const transformed = (code, filename, { plugins = [], ...options }) =>
  transformAsync(code, {
    filename,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [[macros, { linguiConfig, descriptorFields: 'all' }], ...plugins],
    ...options,
  });

/** The source with look-ups, TypeScript and JSX left as they are: each has its English, compiled, and the id that it has in the catalogue. */
export async function withLookUps(code, filename) {
  const { code: looking, map } = await transformed(code, filename, { plugins: [compiled], sourceMaps: true });
  return { code: looking, map };
}

const isMessage = ({ leadingComments }) => leadingComments?.some(({ value }) => value.trim() === '* i18n');

/** What Lingui reads beside the values: nothing else reaches a browser. */
const compiled = {
  visitor: {
    Program: {
      exit: (program) =>
        program.traverse({
          ObjectExpression({ node }) {
            if (!isMessage(node)) return;
            node.properties = node.properties.filter(({ key }) => key.name !== 'context' && key.name !== 'comment');
            const message = node.properties.find(({ key }) => key.name === 'message');
            message.value = types.valueToNode(compileMessage(message.value.value));
          },
        }),
    },
  },
};

/** Every message of a source: its id, English, context, and the code of each numbered placeholder. */
export async function messagesIn(code, filename) {
  const { ast } = await transformed(code, filename, { ast: true, code: false });
  const messages = [];
  traverse(ast, {
    ObjectExpression({ node }) {
      if (!isMessage(node)) return;
      const fields = Object.fromEntries(node.properties.map(({ key, value }) => [key.name, value]));
      const values = fields.values?.properties ?? [];
      messages.push({
        id: fields.id.value,
        message: fields.message.value,
        context: fields.context?.value,
        placeholders: Object.fromEntries(
          values
            .filter(({ key }) => key.type === 'NumericLiteral')
            .map(({ key, value }) => [key.value, code.slice(value.start, value.end).replaceAll(/\s+/g, ' ')]),
        ),
      });
    },
  });
  return messages;
}
