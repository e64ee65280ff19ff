import { z } from 'zod';
import type { ClinicHttp } from '../http/clinic-http';
import { parseJson } from '@clinic/shared/domain/json';
import { OutboundError } from '../http/safe-http';
import { CrmError, type CrmGateway, isPassing } from './port';

const Reply = z.object({ id: z.union([z.string().min(1), z.number()]).transform(String) });

export interface CrmWebhookOptions {
  http: ClinicHttp;
  clinicId: string;
  url: string;
  /** Sent as Bearer token. */
  token?: string;
}

/**
 * Any CRM that takes `POST {"event":"contact.upsert","contact":{…}}`. An answer `{"id":…}` is kept as the contact's id
 * there; without one our own key stands for it. A receiver tells repeats by `externalKey`.
 */
export function createCrmWebhook({ http, clinicId, url, token }: CrmWebhookOptions): CrmGateway {
  return {
    upsertContact: async (contact, signal) => {
      const { origin, pathname } = new URL(url);
      try {
        const { status, body } = await http.call({
          clinicId,
          system: 'crm_webhook',
          action: 'contact.upsert',
          method: 'POST',
          url,
          baseUrl: origin,
          pathTemplate: pathname,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'clinic-workflows/1',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify({ event: 'contact.upsert', contact }),
          // The receiver knows the contact by its key.
          isIdempotent: true,
          signal,
        });
        if (status >= 200 && status < 300) return { id: idIn(body) ?? contact.externalKey };
        throw new CrmError(isPassing(status) ? 'unavailable' : 'refused', `the CRM answered http ${status}`);
      } catch (error) {
        if (error instanceof OutboundError) throw new CrmError('unavailable', error.message);
        throw error;
      }
    },
  };
}

const idIn = (body: string): string | null => Reply.safeParse(parseJson(body)).data?.id ?? null;
