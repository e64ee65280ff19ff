declare module '*.po' {
  import type { Messages } from '@lingui/core';
  /** In Spanish. */
  export const messages: Messages;
}
