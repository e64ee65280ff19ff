import { Button, Group } from '@mantine/core';
import * as api from '#api';
import { useAction } from '#forms';
import { PlainButton } from '#parts';
import { t } from '#texts';

/** Whether what a caller said is true, who was not verified: it is written over the record, or the record stays as it is. */
export function Proposal({ proposalId }: { proposalId: string }) {
  const decide = useAction(api.postProposalsByProposalIdMutation(), {
    done: ({ state }) => (state === 'ACCEPTED' ? t`Written to the patient’s record.` : t`The record stays as it is.`),
    refresh: ['tasks', 'overview', 'patients'],
  });
  const by = (decision: 'accept' | 'dismiss') => decide.mutate({ path: { proposalId }, body: { decision } });
  return (
    <Group gap="xs">
      <Button size="xs" loading={decide.isPending} onClick={() => by('accept')}>
        {t`Write it to the record`}
      </Button>
      <PlainButton label={t`Leave the record`} size="xs" disabled={decide.isPending} onClick={() => by('dismiss')} />
    </Group>
  );
}
