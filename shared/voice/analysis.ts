import { isSaid, type Said, saidWords } from '../domain/conversation';

/** What the platform's analysis of a call says, as its end-of-call report carries it. */
export interface Analysis {
  summary: string;
  structuredData?: { outcome: Said };
}

/**
 * What the platform is asked to find out after a call: what the patient said, in one of our words. A recovery has a tool
 * that records how the call went, so only the calls of the other workflows ask for it.
 */
export const analysisPlan = {
  structuredDataPlan: {
    enabled: true,
    schema: {
      type: 'object' as const,
      properties: {
        outcome: {
          type: 'string' as const,
          enum: [...saidWords],
          description: [
            'What the patient said, only where it is clear.',
            'confirmed: agreed to what the call was about, or will come.',
            'rebooked: has a new appointment.',
            'declined: does not want it.',
            'callback: wants to be called at another time.',
            'escalated: needs a member of staff.',
            'voicemail: no person was on the line, only a machine that takes messages or a menu.',
          ].join(' '),
        },
      },
    },
  },
};

/** The analysis in the platform's form. */
export function analysisOf({ summary, said }: { summary: string; said?: Said }): Analysis {
  return said === undefined ? { summary } : { summary, structuredData: { outcome: said } };
}

/** The word that the analysis found; null when it found none, or one that is not ours. */
export function saidIn(outcome: string | null | undefined): Said | null {
  return isSaid(outcome) ? outcome : null;
}
