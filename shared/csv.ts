/** What may stand before a formula within a cell: a program that splits at another character, or at a line, begins a cell there. */
const formula = /(^|[;\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])/g;

/** A number or a phone number: what a spreadsheet makes of it is no formula. */
const isNumber = (text: string): boolean => /^[+-]?[\d .()-]*$/.test(text);

/** A text as a cell of CSV that no spreadsheet takes for a formula, whichever character it takes for the end of a cell. */
export const textCell = (text: string): string => (isNumber(text) ? text : text.replace(formula, `$1$2'`));
