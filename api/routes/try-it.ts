import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import { z } from 'zod';
import { actorOf, route, type Route } from '../http/route';
import type { Dispatcher } from '../dispatcher';

/** The simulator's number of each scene (decisions, section 5), with somebody to play it. */
const scenes = {
  agrees: { phone: '+15005550001', firstName: 'Maria', lastName: 'Santos' },
  'wants-callback': { phone: '+15005550002', firstName: 'James', lastName: 'Okoro' },
  'finds-it-expensive': { phone: '+15005550003', firstName: 'Priya', lastName: 'Natarajan' },
  'asks-clinical-question': { phone: '+15005550004', firstName: 'Thomas', lastName: 'Lindqvist' },
  declines: { phone: '+15005550005', firstName: 'Amelia', lastName: 'Wright' },
  'never-answers': { phone: '+15005550006', firstName: 'Dan', lastName: 'Kowalski' },
  'answers-second-time': { phone: '+15005550007', firstName: 'Yuki', lastName: 'Tanaka' },
  'hangs-up': { phone: '+15005550008', firstName: 'Ruth', lastName: 'Abramson' },
  'platform-refuses': { phone: '+15005550009', firstName: 'Omar', lastName: 'Haddad' },
} as const;
const sceneNames = Object.keys(scenes) as (keyof typeof scenes)[];

/** Trying the service without a platform that sends events: an abandoned form whose patient is played by the simulator. */
export function tryItRoutes({ stores, temporal }: { stores: Stores; temporal: Dispatcher }): Route[] {
  return [
    route({
      method: 'post',
      path: '/try-it/recovery',
      access: 'clinic',
      tag: 'Try it',
      summary: 'Start a recovery whose patient is played by the simulator',
      description: 'Only for clinics whose calls go to the simulator. The calling policy applies as to any other case.',
      body: z.strictObject({ scene: z.enum(sceneNames) }),
      responses: {
        200: {
          description: 'Started',
          schema: z.object({ recoveryCaseId: z.string(), workflowId: z.string() }),
        },
        409: { description: 'The calls of this clinic go to real phones' },
      },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const clinic = await stores.clinics.find(clinicId);
        if (clinic?.voiceProvider !== 'simulator') {
          throw new AppError('conflict', 'The calls of this clinic go to real phones; only the simulator plays scenes');
        }
        const sessionId = newId('try');
        const { phone, ...name } = scenes[body.scene];
        const abandonedAt = new Date().toISOString();
        const opened = await stores.runs.openRecovery({
          clinicId,
          sessionId,
          patient: { ...name, phone, email: `${name.firstName.toLowerCase()}@example.com` },
          form: {
            formId: 'try-it',
            formName: 'New patient intake',
            lastPageReached: 3,
            totalPages: 7,
            abandonedAt,
            completionPercentage: 42.5,
            abandonedAtCheckout: false,
          },
          inbound: {
            payload: { event: 'forms.abandoned', data: { session_id: sessionId, abandoned_at: abandonedAt } },
          },
        });
        const { workflowId, caseId, patientId } = opened;
        // A session of its own always opens a case of its own.
        if (caseId === null) throw new AppError('conflict', 'The case could not be opened');
        temporal.dispatch({
          workflowId,
          clinicId,
          caseId,
          patientId,
          sessionId,
          workflowType: 'abandonment-recovery',
        });
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'try-it.recovery',
          subject: caseId,
        });
        return { body: { recoveryCaseId: caseId, workflowId } };
      },
    }),
  ];
}
