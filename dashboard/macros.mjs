// Lingui's macros in a source: replaced by look-ups, as a browser needs it, or gathered as messages, as the catalogue does.
import { template, traverse, transformAsync, types } from '@babel/core';
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

/**
 * The source with look-ups, TypeScript and JSX left as they are: each has with it what it shows, compiled. `said` gives that text for
 * the id that the message has in the catalogue and its English; or texts by language, of which the page then takes its own.
 */
export async function withLookUps(code, filename, said) {
  const { code: looking, map } = await transformed(code, filename, { plugins: [inWords(said)], sourceMaps: true });
  return { code: looking, map };
}

const isMessage = ({ leadingComments }) => leadingComments?.some(({ value }) => value.trim() === '* i18n');

/** What Lingui reads beside the values: nothing else reaches a browser. */
const inWords = (said) => ({
  visitor: {
    Program: {
      exit: (program) =>
        program.traverse({
          ObjectExpression({ node }) {
            if (!isMessage(node)) return;
            const { id, message } = Object.fromEntries(
              node.properties.map(({ key, value }) => [key.name, value.value]),
            );
            const text = said(id, message);
            node.properties = [
              types.objectProperty(
                types.identifier('message'),
                typeof text === 'string' ? compiled(text) : ofThePage(text),
              ),
              ...node.properties.filter(({ key }) => key.name === 'values' || key.name === 'components'),
            ];
          },
        }),
    },
  },
});

const compiled = (text) => types.valueToNode(compileMessage(text));

const ofThePage = (texts) => {
  const all = Object.entries(texts).map(([language, text]) =>
    types.objectProperty(types.identifier(language), compiled(text)),
  );
  return types.memberExpression(types.objectExpression(all), pageLanguage, true);
};

const pageLanguage = template.expression.ast('document.documentElement.lang');

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
