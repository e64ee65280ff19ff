import type { AppointmentNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { SendFhir } from '@clinic/gateways/calendar/fhir/exchange';

/** What a server says on the wire. */
export interface Said {
  status?: number;
  headers?: Record<string, string>;
  /** As JSON. */
  body?: unknown;
  /** In the place of JSON. */
  text?: string;
}

export type Request = Parameters<SendFhir>[0];

/** A FHIR server that gives each request the answer that stands for it; an error is one on the way. */
export function scriptedFhir(baseUrl: string, answer: (path: string, request: Request) => Said | Error | undefined) {
  const requests: Request[] = [];
  const pathOf = ({ url }: Request) => decodeURIComponent(url.replace(baseUrl, '').replace(/^\//, ''));
  const send: SendFhir = async (request) => {
    requests.push(request);
    const said = answer(pathOf(request).replace(/\?.*/, ''), request) ?? { status: 404 };
    if (said instanceof Error) throw said;
    const { status = 200, headers = {}, body, text = body === undefined ? '' : JSON.stringify(body) } = said;
    return { status, headers, body: text, durationMs: 1 };
  };
  return { send, requests, asked: () => requests.map((each) => `${each.method} ${pathOf(each)}`) };
}

export const searchset = (...resources: object[]) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  total: resources.length,
  entry: resources.map((resource) => ({ resource })),
});

/** A visit of half an hour with Dr. Vega, as it is written to a clinic's server. */
export const visitNotice: AppointmentNotice = {
  appointmentId: 'a-1',
  status: 'booked',
  providerName: 'Dr.Vega',
  visitType: 'Follow-up',
  startsAt: '2035-03-05T09:00:00.000Z',
  endsAt: '2035-03-05T09:30:00.000Z',
  patient: { patientId: 'p-1', firstName: 'Ann', lastName: 'Lee' },
};
