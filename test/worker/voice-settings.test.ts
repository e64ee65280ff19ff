import { freePort } from '@clinic/local/ports';
import { startService } from '../support/service';

test('a worker without settings for a platform that a clinic calls through says so when it starts', async () => {
  const port = await freePort();
  const env = { WORKER_PORT: String(port), VAPI_API_KEY: '', VAPI_ASSISTANT_ID: 'assistant-1' };
  const service = await startService({ env });
  const said = () => service.worker.lines.filter((line) => line.includes('their calls will be left to staff'));
  try {
    expect(said()).toEqual([]);
    await service.stores.clinics.setVoiceProvider(service.clinic.clinicId, 'vapi');
    await service.worker.stop();
    await service.worker.start();

    expect(said().map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'error', count: 1, settings: 'VAPI_API_KEY, VAPI_PHONE_NUMBER_ID' },
    ]);
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
    expect(metrics).toMatch(/^clinics_without_voice_settings 1$/m);
  } finally {
    await service.stop();
  }
}, 240_000);
