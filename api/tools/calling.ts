import { optOutScopes } from '@clinic/shared/domain/outreach/opt-out';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { z } from 'zod';
import { refusal, tool } from './tool';

/** What every assistant can do, whatever its calls are about. An addition of ours to the contract's tools. */
export const callingTools = [
  tool({
    family: 'calling-tools',
    name: 'record_do_not_call',
    description:
      'The person says, in whatever words, that they do not want to be called again. Use it at once; it takes effect at once.',
    arguments: z.object({
      scope: z
        .enum(optOutScopes)
        .optional()
        .describe('What they want no more calls about; left out: any calls. Ask nothing to find out'),
    }),
    result: z.object({ success: z.boolean(), say: z.string().optional(), error: z.string().optional() }),
    example: { arguments: {}, result: { success: true, say: 'Understood. We will not call this number again.' } },
    workflowTypes: workflowTypeNames,
    isWrite: true,
    async handle({ scope = 'all' }, { call: { clinicId, callId }, stores }) {
      const { phones } = await stores.optOuts.addFromCall({ clinicId, callId, scope, source: 'tool' });
      if (phones === 0) return refusal('No phone number is known in this call. Say that the clinic will see to it.');
      return { result: { success: true, say: 'Understood. We will not call this number again.' } };
    },
  }),
];
