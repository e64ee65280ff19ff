const { DefaultFailureConverter } = require('@temporalio/common');

/**
 * Moves failure messages and stack traces into a payload, which the codec then encrypts: an error may quote a patient.
 * The workflow bundle loads this file too, so it imports nothing else; Temporal's client loads it as it is.
 */
exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
