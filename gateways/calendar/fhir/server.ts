import type { ClinicAction, FhirCapabilities, FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import { type ClinicApiFailure, type ClinicApiInput, unavailable } from '../../clinic-api/result';
import { OutboundError } from '../../http/safe-http';
import { isNotBooked } from './appointment-resource';
import { type CallMemory, emptyMemory } from './call-memory';
import { askFhir, FhirFault, type FhirRequest, type SendFhir } from './exchange';
import type { Ask } from './requests';
import type { TakenTimes } from './taken-times';

export interface FhirServerOptions {
  /** Sends with the clinic's credentials, within the time and the signal of the call. */
  sendFor: (action: ClinicAction, input: ClinicApiInput) => SendFhir;
  baseUrl: string;
  settings: FhirSettings;
  capabilities: FhirCapabilities;
  times: TakenTimes;
}

/** A clinic's FHIR server while something is done there. */
export interface FhirServer {
  ask: Ask;
  settings: FhirSettings;
  capabilities: FhirCapabilities;
  times: TakenTimes;
  /** What it has said before, in this call or this action. */
  memory: CallMemory;
}

/** What came of it, or why it could not be done. */
export type EhrAnswer<T> = { kind: 'done'; value: T } | ClinicApiFailure;

/** Does some work at the server; what the server refuses, and what keeps it from answering, are results. */
export async function atServer<T>(
  { sendFor, baseUrl, settings, capabilities, times }: FhirServerOptions,
  { action, input, memory = emptyMemory() }: { action: ClinicAction; input: ClinicApiInput; memory?: CallMemory },
  work: (server: FhirServer) => Promise<T>,
): Promise<EhrAnswer<T>> {
  const send = sendFor(action, input);
  let isInPart = false;
  const ask: Ask = async (request) => {
    const answer = await askFhir(send, baseUrl, request);
    isInPart ||= writesAppointment(request) && !(request.template === BOOK && isNotBooked(answer.body));
    return answer;
  };
  try {
    return { kind: 'done', value: await work({ ask, settings, capabilities, times, memory }) };
  } catch (error) {
    const failure = failureOf(error);
    return isInPart && (failure.kind === 'refused' || failure.kind === 'unavailable')
      ? { ...failure, isInPart }
      : failure;
  }
}

function failureOf(error: unknown): ClinicApiFailure {
  if (error instanceof FhirFault) return error.result;
  if (error instanceof OutboundError) return unavailable(error);
  throw error;
}

const BOOK = 'Appointment/$book';

/** Whether a request leaves something of an appointment there, alone or with its slot; what is held ends by itself. */
const writesAppointment = ({ method, template }: FhirRequest): boolean =>
  method !== 'GET' && (template === '' || (template.startsWith('Appointment') && template !== 'Appointment/$hold'));

/** Patients who are not there yet may be added, where the clinic permits it. */
export const mayMakePatients = ({ settings }: Pick<FhirServer, 'settings'>): boolean =>
  settings.permitted.includes('patient.upsert');
