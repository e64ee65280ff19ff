import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { showRefusal } from './refusal';

export const eye = { visibilityToggleButtonProps: { 'aria-label': t`Show the password` } };

interface Given {
  name: string;
  password: string;
}

/** Asks for the password before what must not be done by who finds an open dashboard; and for a name where something is made. */
export function AskPassword({
  opened,
  title,
  lead,
  naming,
  action,
  onPassword,
  onClose,
  onSettled,
}: {
  opened: boolean;
  title: string;
  lead?: string;
  /** What the new thing is called unless they say otherwise. */
  naming?: { label: string; suggested: string };
  action: { label: string; color?: string };
  /** Rejects with the refusal, which is shown at its field. */
  onPassword: (given: Given) => Promise<void>;
  onClose: () => void;
  onSettled?: () => unknown;
}) {
  const form = useForm<Given>({
    initialValues: { name: naming?.suggested ?? '', password: '' },
    validate: {
      name: (name) => (naming && name.trim() === '' ? t`Enter a name` : null),
      password: isNotEmpty(t`Enter your password`),
    },
  });
  const send = useMutation({
    mutationFn: onPassword,
    onSuccess: () => form.reset(),
    onError: (error: unknown) => showRefusal(form, error, { password: t`Password`, name: t`Name` }),
    onSettled,
  });
  const close = () => {
    form.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form onSubmit={form.onSubmit((given) => send.mutate(given))} noValidate>
        <Stack>
          {lead && <Text size="sm">{lead}</Text>}
          {naming && <TextInput label={naming.label} maxLength={60} data-autofocus {...form.getInputProps('name')} />}
          <PasswordInput
            label={t`Password`}
            description={t`So that nobody does this who finds your computer open`}
            autoComplete="current-password"
            data-autofocus={naming === undefined || undefined}
            {...eye}
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              <Trans>Not now</Trans>
            </Button>
            <Button type="submit" color={action.color} loading={send.isPending}>
              {action.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
