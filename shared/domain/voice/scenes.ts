import { type WorkflowType, workflowTypes } from '../outreach/workflow-types';

/** What a patient does in a call, once the platform has placed it. */
export const parts = [
  'agrees',
  'wants-callback',
  'finds-it-expensive',
  'asks-clinical-question',
  'declines',
  'never-answers',
  'hangs-up',
] as const;
export type Part = (typeof parts)[number];

export interface Scene {
  /** The number that plays it, as test card numbers do for payments. */
  phone: string;
  /** What the patient does, after the words "a patient who". */
  patient: string;
  part: Part;
  /** The first attempt at which the patient takes the call. */
  answersAtAttempt: number;
  /** How often the voice platform refuses the call before it places it. */
  refusals: number;
}

/** Every scene that the simulator plays (docs/contract.md, 5). A number that is not among them agrees. */
export const scenes = {
  agrees: scene('+15005550001', 'agrees', 'answers, says why they stopped, agrees'),
  'wants-callback': scene('+15005550002', 'wants-callback', 'asks for a callback'),
  'finds-it-expensive': scene('+15005550003', 'finds-it-expensive', 'finds it too expensive'),
  'asks-clinical-question': scene('+15005550004', 'asks-clinical-question', 'asks a clinical question'),
  declines: scene('+15005550005', 'declines', 'declines'),
  'never-answers': scene('+15005550006', 'never-answers', 'never answers'),
  'answers-second-time': scene('+15005550007', 'agrees', 'answers at the second attempt, agrees', {
    answersAtAttempt: 2,
  }),
  'hangs-up': scene('+15005550008', 'hangs-up', 'hangs up without an outcome'),
  'platform-refuses': scene('+15005550009', 'agrees', 'agrees, after the voice platform has refused the call twice', {
    refusals: 2,
  }),
} satisfies Record<string, Scene>;
export type SceneName = keyof typeof scenes;

export const sceneNames = Object.keys(scenes) as [SceneName, ...SceneName[]];

export const isSceneName = (text: string): text is SceneName => Object.hasOwn(scenes, text);

/** The scene of a number. */
export function sceneOf(phone: string): Scene {
  return Object.values(scenes).find((each) => each.phone === phone) ?? scenes.agrees;
}

/** The outcomes that each part can lead to, over all workflow types; a type has at most one of each list. */
const outcomesOf: Record<Exclude<Part, 'agrees'>, readonly string[]> = {
  'wants-callback': ['FOLLOW_UP_REQUIRED'],
  'finds-it-expensive': ['PRICING_ESCALATION', 'BILLING_ESCALATION', 'ESCALATED'],
  'asks-clinical-question': ['CLINICAL_ESCALATION', 'BILLING_ESCALATION', 'ESCALATED'],
  declines: ['PATIENT_NOT_INTERESTED', 'DECLINED'],
  'never-answers': ['PATIENT_NOT_REACHED'],
  'hangs-up': ['FOLLOW_UP_REQUIRED'],
};

/** How a workflow of this type ends when its patient plays the scene: where it has no such outcome, staff follow up. */
export function outcomeOf({ part }: Pick<Scene, 'part'>, type: WorkflowType): string {
  const { outcomes } = workflowTypes[type];
  if (part === 'agrees') return outcomes[0];
  return outcomes.find((outcome) => outcomesOf[part].includes(outcome)) ?? 'FOLLOW_UP_REQUIRED';
}

function scene(
  phone: string,
  part: Part,
  patient: string,
  { answersAtAttempt = 1, refusals = 0 }: Partial<Pick<Scene, 'answersAtAttempt' | 'refusals'>> = {},
): Scene {
  return { phone, part, patient, answersAtAttempt, refusals };
}
