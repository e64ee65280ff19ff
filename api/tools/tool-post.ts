import type { IncomingHttpHeaders } from 'node:http';
import type { ToolCallPost, ToolReply } from '@clinic/gateways/voice/port';
import type { Logger } from '@clinic/shared/log';
import type { ToolRequest } from '@clinic/shared/domain/voice/tool-request';

export interface ToolPost {
  calls: ToolCallPost;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** The client's address. */
  address: string;
  log: Logger;
  /** The only clinic whose calls it may be about; null for any. */
  clinicId: string | null;
}

/** A platform's tool calls in, its replies out, in the envelope that they came in. */
export type AnswerToolCalls = (
  post: ToolPost,
  /** Which tool a request is for. */
  toolOf: (request: ToolRequest) => { family: string; name: string },
) => Promise<ToolReply>;
