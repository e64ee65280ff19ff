import type * as api from '#api';
import { t } from '#texts';

/** Why fewer patients were called on a day. */
export function noteInWords({ kind, text, count }: api.Results['notes'][number]): string {
  switch (kind) {
    case 'closed':
      return t`closed: ${text ?? ''}`;
    case 'paused':
      return t`calls were paused: ${text ?? ''}`;
    case 'faults':
      return t`${count ?? 0} calls failed at the voice platform`;
    case 'queue':
      return t`${count ?? 0} calls waited in line for more than 15 minutes`;
  }
}
