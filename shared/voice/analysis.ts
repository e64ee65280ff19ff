import { isSaid, type Said, saidWords } from '../domain/conversation';

/** What the platform's analysis of a call says, as its end-of-call report carries it. */
export interface Analysis {
  summary: string;
  structuredData?: { outcome?: Said; doNotCall?: boolean };
}

const outcome = {
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
};

const doNotCall = {
  type: 'boolean' as const,
  description: 'true only where the person asked not to be called again, in whatever words.',
};

/**
 * What the platform is asked to find out after a call: whether the patient wants no more calls and what they said, in one of
 * our words. A recovery has a tool that records how the call went, so its calls ask for no outcome.
 */
export const analysisPlanOf = ({ hasOutcomeTool }: { hasOutcomeTool: boolean }) => ({
  structuredDataPlan: {
    enabled: true,
    schema: { type: 'object' as const, properties: { doNotCall, ...(!hasOutcomeTool && { outcome }) } },
  },
});

/** The analysis in the platform's form. */
export function analysisOf({
  summary,
  said,
  wantsNoCalls = false,
}: {
  summary: string;
  said?: Said;
  wantsNoCalls?: boolean;
}): Analysis {
  if (said === undefined && !wantsNoCalls) return { summary };
  return {
    summary,
    structuredData: { ...(said !== undefined && { outcome: said }), ...(wantsNoCalls && { doNotCall: true }) },
  };
}

/** The word that the analysis found; null when it found none, or one that is not ours. */
export function saidIn(word: string | null | undefined): Said | null {
  return isSaid(word) ? word : null;
}
