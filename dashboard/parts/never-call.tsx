import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { postPatientsByPatientIdOptOutsMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconPhoneOff } from '../icons';
import { optOutScopes } from './opt-out';
import { nameOf } from './person';
import { useRefresh } from './refresh';
import { sayDone, sayFailed } from './say';

type Scope = Api.OptOut['scope'];

/** Puts a patient's phone on the list of those who are not called. Anybody of the clinic may; taking it off is for an administrator. */
export function NeverCall({ patient }: { patient: Api.PatientName }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [scope, setScope] = useState<Scope>('all');
  const refresh = useRefresh('integrations', 'patients', 'cases');
  const add = useMutation({
    ...postPatientsByPatientIdOptOutsMutation(),
    onSuccess({ phone }) {
      close();
      sayDone(t`${phone} is not called any more.`);
    },
    onError: sayFailed,
    onSettled: refresh,
  });
  const scopes = Object.entries(optOutScopes) as [Scope, string][];
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPhoneOff size={14} aria-hidden />}
        onClick={open}
        aria-label={t`Stop calling ${nameOf(patient)}`}
      >
        <Trans>Stop calling</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Stop calling ${nameOf(patient)}?`}>
        <Stack>
          <Text size="sm">
            <Trans>
              The phone on file goes on the list of those who are not called. Open workflows that wait to call it end.
            </Trans>
          </Text>
          <Radio.Group label={t`Not called about`} value={scope} onChange={setScope}>
            <Stack gap="xs" mt={6}>
              {scopes.map(([value, label]) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              <Trans>Keep calling</Trans>
            </Button>
            <Button
              color="red"
              loading={add.isPending}
              onClick={() => add.mutate({ path: { patientId: patient.id }, body: { scope } })}
            >
              <Trans>Stop calling</Trans>
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
