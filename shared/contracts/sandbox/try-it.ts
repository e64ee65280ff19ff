import { z } from 'zod';
import { sceneNames } from '../../domain/voice/scenes';
import { RecoveryStatus } from '../outreach/recovery';

const SceneName = z.enum(sceneNames).meta({ id: 'SceneName' });

/** `POST /api/try-it/recovery`. */
export const StartScene = z.strictObject({ scene: SceneName });

export const StartedScene = z.object({ recoveryCaseId: z.string(), workflowId: z.string() });

/** `GET /api/try-it/scenes`. */
export const SceneView = z
  .object({
    scene: SceneName,
    phone: z.string().describe('The number that plays it, in every workflow'),
    patient: z.string().describe('What the patient does'),
    outcome: RecoveryStatus.describe('How a recovery ends with it'),
  })
  .meta({ id: 'Scene' });
export type SceneView = z.infer<typeof SceneView>;
