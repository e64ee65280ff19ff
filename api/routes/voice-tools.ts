import { WorkflowTypeName } from '@clinic/shared/contracts/workflows';
import { ToolDefinition } from '@clinic/shared/voice/tool-definition';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { toolDefinitions } from '../tools/definitions';

/** The definitions of the live-call tools, as the voice platform needs them. */
export function voiceToolRoutes({ config, stores }: Pick<RouteDeps, 'config' | 'stores'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/voice/tools',
      access: 'clinic',
      patientData: 'none',
      tag: 'Voice platform',
      summary: 'Tool definitions ready to paste into Vapi, of one assistant or of all',
      query: z.object({ assistant: WorkflowTypeName.optional() }),
      responses: {
        200: {
          description: 'One definition per tool; put the voice secret where the header says so, or a credential of it',
          schema: z.object({ tools: z.array(ToolDefinition) }),
        },
      },
      async handle({ caller: { clinicId }, query: { assistant } }) {
        const { callHoldMinutes = 0 } = (await stores.agendas.of(clinicId)) ?? {};
        const about = { holdsTimes: callHoldMinutes > 0 };
        return { body: { tools: toolDefinitions(assistant ?? null, config.PUBLIC_URL, about) } };
      },
    }),
  ];
}
