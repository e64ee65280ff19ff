import react from '@vitejs/plugin-react';
import presetMantine from 'postcss-preset-mantine';
import { defineConfig } from 'vite';

const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  css: { postcss: { plugins: [presetMantine()] } },
  // The service puts a fresh nonce in its place at each answer (Content-Security-Policy).
  html: { cspNonce: 'CSP_NONCE' },
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  server: { proxy: { '/api': service } },
});
