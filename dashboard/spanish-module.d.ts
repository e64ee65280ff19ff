declare module 'virtual:spanish' {
  /** Where the application begins that has its texts in Spanish (vite.config.ts). */
  export const spanishStart: string;
}
