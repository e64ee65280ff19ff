import type { DevClinic } from '@clinic/accounts/seed';
import { type CallStatus, endOfCall, statusUpdate } from '@clinic/gateways/voice/simulator/speak';
import type { App } from './app';
import { aPhone, aSession } from './builders';
import { eventually } from './eventually';
import { startVapiServer, type VapiCall, type VapiServer } from './outside/vapi-server';

const apiKey = 'vapi-key-for-tests';

/** A call in the test's own hands: it is the voice platform. */
export interface LiveCall {
  sessionId: string;
  phone: string;
  workflowId: string;
  recoveryCaseId: string;
  /** The platform's id. */
  id: string;
  /** Our own id, as the platform carries it. */
  callId: string;
  says(status: CallStatus, more?: Record<string, unknown>): Promise<void>;
  /** Ends it the way the platform reports an end: a status, then the report. */
  ends(endedReason?: string): Promise<void>;
  tool(name: string, args?: unknown, id?: string): Promise<Record<string, unknown>>;
}

export interface VoicePlatform extends VapiServer {
  /** What a service needs in order to place its calls here. */
  env: NodeJS.ProcessEnv;
  /** Waits until a phone has rung that often; answers the last ring. */
  callTo(phone: string, times?: number): Promise<VapiServer['calls'][number]>;
  ringsOf(phone: string): number;
  /** A form is abandoned and its patient's phone rings. */
  ring(app: App, about?: { phone?: string; clinic?: DevClinic }): Promise<LiveCall>;
  /** The next call of a case, once its phone rings. */
  again(app: App, call: LiveCall, times: number): Promise<LiveCall>;
}

/** The voice platform's HTTP API, with calls that do nothing by themselves. */
export async function startVoicePlatform(): Promise<VoicePlatform> {
  const server = await startVapiServer(apiKey);
  const ringsOf = (phone: string) => server.calls.filter(({ customer }) => customer?.number === phone).length;
  const callTo = (phone: string, times = 1) =>
    eventually(() => server.calls.filter(({ customer }) => customer?.number === phone)[times - 1]);

  const answer = async (
    app: App,
    about: Pick<LiveCall, 'sessionId' | 'phone' | 'workflowId' | 'recoveryCaseId'>,
    times: number,
  ) => {
    const { id, assistantOverrides } = await callTo(about.phone, times);
    const callId = String(assistantOverrides?.metadata?.callId);
    const call = { id, assistantOverrides: { metadata: { callId } } };
    const tell = async (message: Record<string, unknown>) => {
      const { status, text } = await app.voiceEvent({ call, ...message });
      if (status !== 200) throw new Error(`voice event refused: ${status} ${text}`);
    };
    return {
      ...about,
      id,
      callId,
      says: (status: CallStatus, more = {}) => tell({ ...statusUpdate(status), ...more }),
      async ends(endedReason = 'customer-ended-call') {
        for (const message of endOfCall({ reason: endedReason, summary: 'They talked.' })) await tell(message);
      },
      tool: (name: string, args: unknown = {}, toolCallId?: string) =>
        app.tool(`abandonment-recovery-tools/${name}`, id, args, toolCallId),
    };
  };

  return Object.assign(server, {
    env: {
      VAPI_API_KEY: apiKey,
      VAPI_BASE_URL: server.url,
      VAPI_ASSISTANT_ID: 'assistant-1',
      VAPI_PHONE_NUMBER_ID: 'number-1',
    },
    callTo,
    ringsOf,
    async ring(app: App, { phone = aPhone(), clinic = app.clinic }: { phone?: string; clinic?: DevClinic } = {}) {
      const sessionId = aSession();
      const { body } = await app.abandon({ sessionId, phone }, clinic);
      return answer(app, { sessionId, phone, workflowId: body.workflowId, recoveryCaseId: body.recoveryCaseId }, 1);
    },
    again: (app: App, { sessionId, phone, workflowId, recoveryCaseId }: LiveCall, times: number) =>
      answer(app, { sessionId, phone, workflowId, recoveryCaseId }, times),
  });
}

/** Nobody picks up, and the platform says so. */
export async function giveUp(app: App, { id, assistantOverrides }: VapiCall): Promise<void> {
  const call = { id, assistantOverrides: { metadata: assistantOverrides?.metadata } };
  for (const message of endOfCall({ reason: 'customer-did-not-answer', summary: 'Nobody picked up.' })) {
    await app.voiceEvent({ call, ...message });
  }
}
