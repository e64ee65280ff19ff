import { sentence } from './status';

/** `abandonment-recovery` → `Abandonment recovery`. */
export const workflowName = (type: string | null): string => (type === null ? 'Any workflow' : sentence(type));
