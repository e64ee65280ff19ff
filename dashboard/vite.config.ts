import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import presetMantine from 'postcss-preset-mantine';
import { defineConfig, type Plugin } from 'vite';
import { catalogueFile, parsed } from './catalogue.mjs';
import { withLookUps } from './macros.mjs';

/** What the page goes on with in Spanish. */
const spanishStart = 'spanish.ts';
const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [texts(), withoutEventStreams(), react(), compressed()],
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
            // All that is needed to see which language is loaded.
            { name: 'language', test: /dashboard[\\/]language\.ts$|preload-helper/, priority: 3 },
            // They are read before anything that has texts.
            { name: 'texts', test: /node_modules[\\/]@lingui[\\/]|dashboard[\\/]activate\.ts$/, priority: 1 },
            // What every page needs, as one: it comes smaller than in pieces.
            { name: 'frame', test: /dashboard[\\/]app\.tsx$/ },
          ],
        },
      },
    },
  },
  environments: {
    // Everything once more with its texts in Spanish in place of English. The page itself is built after it, and knows where it is.
    spanish: {
      consumer: 'client',
      build: {
        emptyOutDir: true,
        rolldownOptions: {
          input: join(import.meta.dirname, spanishStart),
          output: { entryFileNames: 'assets/es-[name]-[hash].js', chunkFileNames: 'assets/es-[name]-[hash].js' },
        },
      },
    },
    client: { build: { emptyOutDir: false } },
  },
  builder: {
    sharedConfigBuild: true,
    sharedPlugins: true,
    async buildApp({ build, environments }) {
      for (const name of ['spanish', 'client']) {
        const environment = environments[name];
        if (environment) await build(environment);
      }
    },
  },
  server: { proxy: { '/api': service } },
});

/**
 * Lingui's macros become look-ups that have their words with them, so that no page loads words that it does not show.
 * Lingui's own plugin brings its command line with it, which needs a newer Node than the service does.
 */
function texts(): Plugin {
  const spanishAddress = 'virtual:spanish';
  let spanish: ReturnType<typeof parsed> = {};
  let builtStart = `/${spanishStart}`;
  const inSpanish = (id: string, english: string) => spanish[id]?.translation || english;
  return {
    name: 'texts',
    enforce: 'pre',
    async buildStart() {
      spanish = parsed(await readFile(catalogueFile, 'utf8'));
    },
    resolveId: { filter: { id: /^virtual:spanish$/ }, handler: () => spanishAddress },
    load: {
      filter: { id: /^virtual:spanish$/ },
      handler: () => `export const spanishStart = ${JSON.stringify(builtStart)};`,
    },
    transform: {
      filter: { id: /\.tsx?$/, code: /'#texts'/ },
      handler(code, id) {
        if (this.environment.mode === 'dev')
          return withLookUps(code, id, (key, english) => ({ en: english, es: inSpanish(key, english) }));
        return withLookUps(code, id, this.environment.name === 'spanish' ? inSpanish : (_, english) => english);
      },
    },
    generateBundle(_, bundle) {
      const start = Object.values(bundle).find((each) => each.type === 'chunk' && each.isEntry);
      if (this.environment.name === 'spanish' && start) builtStart = `/${start.fileName}`;
    },
    // The development server reads the catalogue when it starts.
    async hotUpdate({ file, server }) {
      if (file === catalogueFile) await server.restart();
    },
  };
}

/** The generated client brings a reader of event streams to every page; live updates have their own (http/live.ts). */
function withoutEventStreams(): Plugin {
  return {
    name: 'without-event-streams',
    load: {
      filter: { id: /http\/client\/core\/serverSentEvents\.gen\.ts$/ },
      handler: () => 'export const createSseClient = undefined;',
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
