import { sentence } from './status';

/** What a call is about, in the words of its workflow type; a test call may be about nothing. */
export const workflowName = (type: string | null): string => (type === null ? 'Any workflow' : sentence(type));
