import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import presetMantine from 'postcss-preset-mantine';
import { defineConfig, type Plugin } from 'vite';

const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed()],
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
            { name: 'libraries', test: /node_modules[\\/](?:react|react-dom|react-router|scheduler|@tanstack)[\\/]/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': service } },
});

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
