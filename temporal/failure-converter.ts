import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves failure messages and stack traces into a payload, which the codec then encrypts: an error may quote a patient.
 * The workflow bundle loads this file too, so it imports nothing else.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
