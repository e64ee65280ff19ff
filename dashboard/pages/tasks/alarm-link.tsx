import type * as api from '#api';
import { t } from '#texts';
import { PageLink } from '#words';

/** From an alarm to what the audit has of that person or key, on that day. */
export function AlarmLink({ task: { reason, detail } }: { task: Pick<api.Task, 'reason' | 'detail'> }) {
  const found = searchOf(reason, detail);
  return found && <PageLink to={`/audit?${found.toString()}`} fw={400} py={2}>{t`Show in the audit`}</PageLink>;
}

function searchOf(reason: api.TaskReason, { actor, day }: api.Task['detail']): URLSearchParams | null {
  const search = new URLSearchParams();
  if (typeof day === 'string') {
    search.set('from', day);
    search.set('until', day);
  }
  if (typeof actor === 'string') search.set('person', actor);
  if (reason === 'refused_sign_ins') search.set('action', 'sign-in.refused');
  return search.size > 0 && /^(bulk_reads|emergency_access|records_exported|refused_sign_ins)$/.test(reason)
    ? search
    : null;
}
