import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type * as Api from '../http/client/types.gen';

type OptOut = Api.OptOut;

export const optOutScopes: Record<OptOut['scope'], string> = {
  all: t`Anything`,
  recovery_and_reminders: t`Recovery and reminders`,
};

const sources: Record<OptOut['source'], string> = {
  tool: t`The patient, to the agent`,
  analysis: t`The patient, by the analysis of a call`,
  staff: t`Staff`,
  import: t`An imported list`,
  patient: t`The patient`,
};

/** How it became known that a phone is not to be called, and by whom: a person, a call, a system. */
export function OptOutSource({ optOut: { source, addedBy, addedByName } }: { optOut: OptOut }) {
  const [kind, id] = addedBy.split(':');
  if (kind === 'call' && id) {
    return (
      <>
        {sources[source]}
        {': '}
        <Anchor component={Link} to={`/calls/${id}`} size="sm">
          <Trans>the call</Trans>
        </Anchor>
      </>
    );
  }
  if (kind === 'api-key') return t`Your system, over the API`;
  return addedByName ? `${sources[source]}, ${addedByName}` : sources[source];
}
