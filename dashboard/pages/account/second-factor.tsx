import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import {
  getAuthSecondFactorOptions,
  postAuthSecondFactorConfirmMutation,
} from '../../http/client/@tanstack/react-query.gen';
import { postAuthSecondFactor, postAuthSecondFactorRemove } from '../../http/client/sdk.gen';
import type * as Api from '../../http/client/types.gen';
import { AskPassword } from '../../parts/ask-password';
import { CodeBlock, CopyLine } from '../../parts/copy';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import classes from './second-factor.module.css';

/** One-time codes of an authenticator: set up with a code, removed with the password. */
export function SecondFactor({ onSet }: { onSet?: () => void }) {
  const state = useQuery(getAuthSecondFactorOptions());
  const refresh = useRefresh('secondFactor', 'people', 'account');
  const [asked, setAsked] = useState<'begin' | 'remove' | null>(null);
  const [begun, setBegun] = useState<Api.NewSecondFactor | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Section
      title={t`One-time codes`}
      lead={t`A code of an authenticator on your phone, beside the password. Who has stolen the password alone does not get in.`}
    >
      <Loaded query={state}>
        {({ isOn, backupCodesLeft, isRequired }) => (
          <Group justify="space-between">
            <Text size="sm">
              {isOn ? t`It is on; ${backupCodesLeft ?? 0} backup codes are left.` : t`It is off.`}
              {isRequired && t` Your clinic requires this or a passkey.`}
            </Text>
            {isOn ? (
              <Button variant="default" onClick={() => setAsked('remove')}>
                <Trans>Remove it</Trans>
              </Button>
            ) : (
              <Button onClick={() => setAsked('begin')}>
                <Trans>Set it up</Trans>
              </Button>
            )}
          </Group>
        )}
      </Loaded>
      <AskPassword
        opened={asked !== null}
        title={asked === 'remove' ? t`Remove the one-time codes` : t`Set up one-time codes`}
        action={asked === 'remove' ? { label: t`Remove it`, color: 'red' } : { label: t`Go on` }}
        onClose={() => setAsked(null)}
        onPassword={async ({ password }) => {
          if (asked === 'remove') {
            await postAuthSecondFactorRemove({ body: { password }, throwOnError: true });
            sayDone(t`Your account asks for no codes from now on.`);
          } else {
            const { data } = await postAuthSecondFactor({ body: { password }, throwOnError: true });
            setBegun(data);
          }
          setAsked(null);
        }}
        onSettled={refresh}
      />
      <Confirm
        begun={begun}
        onClose={() => setBegun(null)}
        onDone={(made) => {
          setBegun(null);
          setCodes(made);
        }}
      />
      <BackupCodes
        codes={codes}
        onClose={() => {
          setCodes(null);
          onSet?.();
        }}
      />
    </Section>
  );
}

function Confirm({
  begun,
  onClose,
  onDone,
}: {
  begun: Api.NewSecondFactor | null;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}) {
  const refresh = useRefresh('secondFactor', 'people', 'account');
  const form = useForm({ initialValues: { code: '' }, validate: { code: isNotEmpty(t`Enter the six digits`) } });
  const confirm = useMutation({
    ...postAuthSecondFactorConfirmMutation(),
    onSuccess({ backupCodes }) {
      form.reset();
      onDone(backupCodes);
    },
    onError: (error) => showRefusal(form, error, { code: t`Code` }),
    onSettled: refresh,
  });
  return (
    <Modal
      opened={begun !== null}
      onClose={onClose}
      title={t`Scan this with your authenticator`}
      closeOnClickOutside={false}
    >
      {begun && (
        <form onSubmit={form.onSubmit((body) => confirm.mutate({ body }))} noValidate>
          <Stack>
            <QrCode text={begun.url} />
            <div>
              <Text size="xs" c="dimmed">
                <Trans>Or type this into it</Trans>
              </Text>
              <CopyLine value={begun.secret} what={t`the secret`} />
            </div>
            <TextInput
              label={t`Code`}
              description={t`The six digits that it shows then`}
              inputMode="numeric"
              autoComplete="one-time-code"
              data-autofocus
              {...form.getInputProps('code')}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                <Trans>Not now</Trans>
              </Button>
              <Button type="submit" loading={confirm.isPending}>
                <Trans>Turn it on</Trans>
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

/** Dark on light in both colour schemes: cameras expect it. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes.qr}
      role="img"
      aria-label={t`QR code for the authenticator`}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function BackupCodes({ codes, onClose }: { codes: string[] | null; onClose: () => void }) {
  return (
    <Modal
      opened={codes !== null}
      onClose={onClose}
      title={t`Your backup codes`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {codes && (
        <Stack>
          <Alert color="yellow">
            <Trans>
              Keep them where your phone is not: each opens your account once, and they are shown this once.
            </Trans>
          </Alert>
          <CodeBlock text={codes.join('\n')} what={t`the backup codes`} />
          <Group justify="flex-end">
            <Button onClick={onClose}>
              <Trans>I have stored them</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
