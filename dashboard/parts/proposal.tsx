import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { postProposalsByProposalIdMutation } from '../http/client/@tanstack/react-query.gen';
import { useRefresh } from './refresh';
import { sayDone, sayFailed } from './say';

/** Whether what a caller said is true, who was not verified: it is written over the record, or the record stays as it is. */
export function Proposal({ proposalId }: { proposalId: string }) {
  const refresh = useRefresh('tasks', 'overview', 'patients');
  const decide = useMutation({
    ...postProposalsByProposalIdMutation(),
    onSuccess: ({ state }) =>
      sayDone(state === 'ACCEPTED' ? t`Written to the patient’s record.` : t`The record stays as it is.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const by = (decision: 'accept' | 'dismiss') => decide.mutate({ path: { proposalId }, body: { decision } });
  return (
    <Group gap="xs">
      <Button size="xs" loading={decide.isPending} onClick={() => by('accept')}>
        <Trans>Write it to the record</Trans>
      </Button>
      <Button size="xs" variant="default" disabled={decide.isPending} onClick={() => by('dismiss')}>
        <Trans>Leave the record</Trans>
      </Button>
    </Group>
  );
}
