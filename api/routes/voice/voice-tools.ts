import { WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import { ToolDefinition } from '@clinic/shared/contracts/voice/tool-definition';
import { clinicCalendar } from '@clinic/gateways/calendar/clinic-calendar';
import { DEFAULT_PLATFORM } from '@clinic/shared/domain/voice/platforms';
import { z } from 'zod';
import { offeredTools } from '../../tools/definitions';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Voice platform', access: 'clinic', right: 'settings.read', patientData: 'none' });

/** The definitions of the live-call tools, as the voice platform needs them. */
export const voiceToolRoutes = [
  routes.get('/voice/tools', {
    summary:
      'Definitions of the tools that can work in the clinic, ready to paste into the voice platform, of one assistant or of all',
    description:
      'With the arguments that each tool takes, its address and the header of the secret. A tool that cannot work in this clinic now is left out.',
    query: z.object({ assistant: WorkflowTypeName.optional() }),
    responses: {
      200: {
        description: 'One definition per tool; put the voice secret where the header says so, or a credential of it',
        schema: z.object({ tools: z.array(ToolDefinition) }),
      },
    },
    async handle({ caller: { clinicId }, query: { assistant } }, { stores, voice }) {
      const [clinic, calendar] = await Promise.all([stores.clinics.find(clinicId), clinicCalendar(stores, clinicId)]);
      const tools = offeredTools(assistant ?? null, calendar);
      const account = voice.accountOf(clinic?.voiceProvider ?? DEFAULT_PLATFORM);
      return { body: { tools: account.toolDefinitions(tools) } };
    },
  }),
];
