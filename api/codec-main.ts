import { createServer } from 'node:http';
import express from 'express';
import { readCodecConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { createCodecRouter } from './codec';
import { handleErrors } from './http/errors';
import { requestLog } from './http/request-log';
import { createMetrics } from './metrics';

/** The codec server as a process of its own: it holds the payload keys and nothing else. */
try {
  const config = readCodecConfig(process.env);
  const log = createLog({ process: 'codec', level: config.LOG_LEVEL });
  const app = express();
  app.use(requestLog(log, createMetrics().requests));
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  const shared = config.CODEC_TOKEN === undefined ? [] : [{ person: 'operator', secret: config.CODEC_TOKEN }];
  const credentials = [...(config.CODEC_CREDENTIALS ?? []), ...shared];
  app.use(createCodecRouter({ keys: config.PAYLOAD_KEYS, credentials, uiOrigin: config.TEMPORAL_UI_URL, log }));
  app.use(handleErrors);
  const server = createServer(app).listen(config.CODEC_PORT, () =>
    log.info({ port: config.CODEC_PORT }, 'codec started'),
  );
  process.on('SIGTERM', () => server.close());
  process.on('SIGINT', () => server.close());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
