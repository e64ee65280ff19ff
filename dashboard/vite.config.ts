import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import react from '@vitejs/plugin-react';
import presetMantine from 'postcss-preset-mantine';
import { defineConfig, type Plugin } from 'vite';
import { parsed } from './catalogue.mjs';
import { withLookUps } from './macros.mjs';

const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [texts(), react(), appPreloaded(), compressed()],
  css: { postcss: { plugins: [presetMantine()] } },
  // The service puts a fresh nonce in its place at each answer (Content-Security-Policy).
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    // What changes seldom stays in the browser's cache when the pages change.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules[\\/](?:react|react-dom|react-router|scheduler|@tanstack)[\\/]/,
              priority: 2,
            },
            // They are read before anything that has texts.
            { name: 'texts', test: /node_modules[\\/]@lingui[\\/]|dashboard[\\/]language\.ts$/, priority: 1 },
            // What every page needs, as one: it comes smaller than in pieces.
            { name: 'frame', test: /dashboard[\\/]app\.tsx$/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': service } },
});

/**
 * Lingui's macros become look-ups that have their English with them, and the catalogue what they show in Spanish.
 * Lingui's own plugin brings its command line with it, which needs a newer Node than the service does.
 */
function texts(): Plugin {
  return {
    name: 'texts',
    enforce: 'pre',
    transform: {
      filter: { id: /\.(?:tsx?|po)$/, code: /'#texts'|msgid/ },
      async handler(code, id) {
        if (!id.endsWith('.po')) return withLookUps(code, id);
        const messages = Object.fromEntries(
          Object.entries(parsed(code)).map(([key, { translation }]) => [key, compileMessage(translation)]),
        );
        return {
          code: `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(messages))});`,
          map: null,
          moduleType: 'js',
        };
      },
    },
  };
}

/** Writes scripts and styles a second time, compressed: the service sends that to browsers that take it. */
function compressed(): Plugin {
  const compress = promisify(brotliCompress);
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(?:js|css)$/.test(name));
      await Promise.all(
        files.map(async (name) => writeFile(join(dir, `${name}.br`), await compress(await readFile(join(dir, name))))),
      );
    },
  };
}

/** The page asks for its application at once, although that waits for the texts in another language than English. */
function appPreloaded(): Plugin {
  return {
    name: 'app-preloaded',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const start = Object.values(bundle).find((each) => each.type === 'chunk' && each.name === 'start');
        const names = start?.type === 'chunk' ? [start.fileName, ...start.imports] : [];
        return names.map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}`, nonce: 'CSP_NONCE' },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}
