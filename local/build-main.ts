import { buildService } from './build';

/** `npm run build`: what production starts. */
buildService().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
