/** Messages by their id: in English, and in Spanish where it is there. */
export function parsed(text: string): Record<string, { message: string; translation: string }>;
/** Where the catalogue is. */
export const catalogueFile: string;
