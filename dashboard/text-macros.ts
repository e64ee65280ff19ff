// What a text is written with. Only the compiler reads this file: nothing is left of it in what is built (macros.mjs).
export { plural, t } from '@lingui/core/macro';
export { Trans } from '@lingui/react/macro';
