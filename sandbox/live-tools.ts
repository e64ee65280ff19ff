import type { InsuranceVerdict, Tool, ToolContext } from '@clinic/api/tools/tool';

const COPAY_CENTS = 2_500;

/** The live tools as they answer while a clinic rehearses: an insurance that nobody can check gets a verdict by its member number. */
export const withRehearsal = (tools: readonly Tool[]): Tool[] =>
  tools.map((tool) => (rehearsed.has(tool.name) ? { ...tool, handle: rehearsing(tool) } : tool));

const rehearsed: ReadonlySet<string> = new Set(['submit_insurance_info']);

const rehearsing =
  ({ handle }: Tool): Tool['handle'] =>
  (args, context) =>
    handle(args, isRehearsal(context) ? { ...context, rehearsedVerdict } : context);

/** Whose calls act at the real EHR is told nothing that is made up. */
const isRehearsal = ({ call: { isDemo, isSandboxEnabled, isLiveEhr } }: ToolContext): boolean =>
  (isDemo || isSandboxEnabled) && !isLiveEhr;

function rehearsedVerdict(memberId: string): InsuranceVerdict {
  return /^fail/i.test(memberId)
    ? {
        source: 'sandbox',
        status: 'FAILED',
        copayCents: null,
        errorMessage: 'The insurer does not know this member number. Check it with the caller.',
      }
    : { source: 'sandbox', status: 'VERIFIED', copayCents: COPAY_CENTS, errorMessage: null };
}
