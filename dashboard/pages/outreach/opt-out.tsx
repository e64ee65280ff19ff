import type * as api from '#api';
import { t } from '#texts';
import { PageLink } from '#words';

export const optOutScopes: Record<api.OptOut['scope'], string> = {
  all: t`Anything`,
  recovery_and_reminders: t`Recovery and reminders`,
};

const sources: Record<api.OptOut['source'], string> = {
  tool: t`The patient, to the agent`,
  analysis: t`The patient, by the analysis of a call`,
  staff: t`Staff`,
  import: t`An imported list`,
  patient: t`The patient`,
  corrected_number: t`Carried over from an earlier number of the patient`,
};

/** How it became known that a phone is not to be called, and by whom: a person, a call, a system. */
export function OptOutSource({ optOut: { source, addedBy, addedByName } }: { optOut: api.OptOut }) {
  const [kind, id] = addedBy.split(':');
  if (kind === 'call' && id) {
    return (
      <>
        {sources[source]}
        {': '}
        <PageLink to={`/calls/${id}`}>{t`the call`}</PageLink>
      </>
    );
  }
  if (kind === 'api-key') return t`Your system, over the API`;
  return addedByName ? `${sources[source]}, ${addedByName}` : sources[source];
}
