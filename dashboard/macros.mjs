// Lingui's macros in a source: replaced by look-ups by id, as a browser needs it, or gathered as messages, as the catalogue does.
import { traverse, transformAsync } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { makeConfig } from '@lingui/conf';

const linguiConfig = makeConfig(
  { locales: ['en', 'es'], sourceLocale: 'en', macro: { corePackage: ['#texts'], jsxPackage: ['#texts'] } },
  { skipValidation: true },
);

const transformed = (code, filename, descriptorFields, options) =>
  transformAsync(code, {
    filename,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [[macros, { linguiConfig, descriptorFields }]],
    ...options,
  });

/** The source with look-ups by id, TypeScript and JSX left as they are; with the English beside the ids unless for production. */
export async function withLookUps(code, filename, { isProduction }) {
  const { code: looking, map } = await transformed(code, filename, isProduction ? 'id-only' : 'all', {
    sourceMaps: true,
  });
  return { code: looking, map };
}

/** Every message of a source: its id, English, context, and the code of each numbered placeholder. */
export async function messagesIn(code, filename) {
  const { ast } = await transformed(code, filename, 'all', { ast: true, code: false });
  const messages = [];
  traverse(ast, {
    ObjectExpression({ node }) {
      if (!node.leadingComments?.some(({ value }) => value.trim() === '* i18n')) return;
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
