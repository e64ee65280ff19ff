import { PasswordInput, Text, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { FormDialog, useActionForm } from '#forms';
import type { Area } from '#http';
import { t } from '#texts';

export const eye = { visibilityToggleButtonProps: { 'aria-label': t`Show the password` } };

interface Given {
  name: string;
  password: string;
}

interface AskPasswordProps {
  opened: boolean;
  title: string;
  lead?: string;
  /** What the new thing is called unless they say otherwise. */
  naming?: { label: string; suggested: string };
  action: { label: string; color?: string };
  /** Rejects with the refusal, which is shown at its field. */
  onPassword: (given: Given) => Promise<void>;
  onClose: () => void;
  refresh: Area[];
}

/** Asks for the password before what must not be done by who finds an open dashboard; and for a name where something is made. */
export function AskPassword({ opened, title, lead, naming, action, onPassword, onClose, refresh }: AskPasswordProps) {
  const form = useActionForm(
    { mutationFn: onPassword },
    {
      initialValues: { name: naming?.suggested ?? '', password: '' },
      validate: {
        name: (name) => (naming && name.trim() === '' ? t`Enter a name` : null),
        password: isNotEmpty(t`Enter your password`),
      },
      labels: { password: t`Password`, name: t`Name` },
      request: (given) => given,
      refresh,
    },
  );
  const close = () => {
    form.reset();
    onClose();
  };
  return (
    <FormDialog title={title} opened={opened} onClose={close} form={form} action={action.label} color={action.color}>
      {lead && <Text size="sm">{lead}</Text>}
      {naming && <TextInput label={naming.label} maxLength={60} data-autofocus {...form.getInputProps('name')} />}
      <PasswordInput
        description={t`So that nobody can do this at an unattended computer`}
        autoComplete="current-password"
        data-autofocus={naming === undefined || undefined}
        {...eye}
        {...form.field('password')}
      />
    </FormDialog>
  );
}
