import type { InboundPath } from '@clinic/shared/contracts/events/inbound-events';
import { z } from 'zod';
import type { DevClinic, DevStack } from './dev-file';

const Accepted = z.object({ accepted: z.literal(true), workflowId: z.string() });

/** Sends a demo clinic's event over HTTP, as its own systems do. Throws what is refused. */
export async function sendEvent({
  dev,
  clinic,
  path,
  event,
  data,
}: {
  dev: DevStack;
  clinic: DevClinic;
  path: InboundPath;
  event: string;
  data: Record<string, unknown>;
}): Promise<z.infer<typeof Accepted>> {
  const response = await fetch(`${dev.baseUrl}/automation/webhook/${clinic.clinicId}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-automation-secret': clinic.inboundSecrets[path] ?? '' },
    body: JSON.stringify({ event, tenant_id: 'demo', sent_at: new Date().toISOString(), data }),
  });
  const body: unknown = await response.json();
  const accepted = Accepted.safeParse(body);
  if (accepted.success) return accepted.data;
  throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
}
