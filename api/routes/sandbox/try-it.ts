import { RecoveryStatus } from '@clinic/shared/contracts/outreach/recovery';
import { SceneView, StartedScene, StartScene } from '@clinic/shared/contracts/sandbox/try-it';
import { newId } from '@clinic/shared/crypto';
import { SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { outcomeOf, type SceneName, sceneNames, scenes } from '@clinic/shared/domain/voice/scenes';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Try it', access: 'clinic', right: 'workflows', patientData: 'none' });

/** Somebody to play each scene. */
const people: Record<SceneName, { firstName: string; lastName: string }> = {
  agrees: { firstName: 'Maria', lastName: 'Santos' },
  'wants-callback': { firstName: 'James', lastName: 'Okoro' },
  'finds-it-expensive': { firstName: 'Priya', lastName: 'Natarajan' },
  'asks-clinical-question': { firstName: 'Thomas', lastName: 'Lindqvist' },
  declines: { firstName: 'Amelia', lastName: 'Wright' },
  'never-answers': { firstName: 'Dan', lastName: 'Kowalski' },
  'answers-second-time': { firstName: 'Yuki', lastName: 'Tanaka' },
  'hangs-up': { firstName: 'Ruth', lastName: 'Abramson' },
  'platform-refuses': { firstName: 'Omar', lastName: 'Haddad' },
};

/** Trying the service without a platform that sends events: an abandoned form whose patient is played by the simulator. */
export const tryItRoutes = [
  routes.get('/try-it/scenes', {
    summary: 'What a patient who is played by the simulator can do',
    description: 'With the phone that chooses each scene, and the outcome that it leads to.',
    responses: { 200: { description: 'Every scene', schema: z.object({ scenes: z.array(SceneView) }) } },
    handle: () => ({ body: { scenes: sceneNames.map(toView) } }),
  }),
  routes.post('/try-it/recovery', {
    summary: 'Start a recovery whose patient is played by the simulator',
    description: 'Only for clinics whose calls go to the simulator. The calling policy applies as to any other case.',
    body: StartScene,
    responses: {
      200: { description: 'Started', schema: StartedScene },
      409: { description: 'The calls of this clinic go to real phones' },
    },
    async handle({ caller: { clinicId }, body, by }, { stores, temporal }) {
      const clinic = await stores.clinics.find(clinicId);
      if (clinic?.voiceProvider !== SIMULATOR) {
        throw new AppError('conflict', 'The calls of this clinic go to real phones; only the simulator plays scenes');
      }
      const sessionId = newId('try');
      const { phone } = scenes[body.scene];
      const { firstName, lastName } = people[body.scene];
      const abandonedAt = new Date().toISOString();
      const opened = await stores.runs.openRecovery({
        clinicId,
        sessionId,
        patient: { firstName, lastName, phone, email: `${firstName.toLowerCase()}@example.com` },
        form: {
          formId: 'try-it',
          formName: 'New patient intake',
          lastPageReached: 3,
          totalPages: 7,
          abandonedAt,
          completionPercentage: 42.5,
          abandonedAtCheckout: false,
        },
        inbound: { payload: { event: 'forms.abandoned', data: { session_id: sessionId, abandoned_at: abandonedAt } } },
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
        ...by,
        action: 'try-it.recovery',
        subject: caseId,
      });
      return { body: { recoveryCaseId: caseId, workflowId } };
    },
  }),
];

function toView(scene: SceneName): SceneView {
  const { phone, patient } = scenes[scene];
  return { scene, phone, patient, outcome: RecoveryStatus.parse(outcomeOf(scenes[scene], 'abandonment-recovery')) };
}
