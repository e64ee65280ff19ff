import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import * as api from '#api';
import { Dialog, DialogForm, useActionForm } from '#forms';
import type { Area } from '#http';
import { CodeBlock, CopyLine, Loaded, PlainButton, sayDone, Section } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import { AskPassword } from './ask-password';
import classes from './second-factor.module.css';

const ownAccount: Area[] = ['secondFactor', 'people', 'account'];

/** One-time codes of an authenticator: set up with a code, removed with the password. */
export function SecondFactor({ onSet }: { onSet?: () => void }) {
  const [asked, setAsked] = useState<'begin' | 'remove' | null>(null);
  const [begun, setBegun] = useState<api.NewSecondFactor | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Section
      title={t`One-time codes`}
      lead={t`A code from an authenticator app on your phone, besides the password: a stolen password is then not enough.`}
    >
      <Loaded query={useQuery(api.getAuthSecondFactorOptions())}>
        {({ isOn, backupCodesLeft, isRequired }) => (
          <Group justify="space-between">
            <Text size="sm">
              {isOn ? t`It is on; ${backupCodesLeft ?? 0} backup codes are left.` : t`It is off.`}
              {isRequired && t` Your clinic requires this or a passkey.`}
            </Text>
            {isOn ? (
              <PlainButton label={t`Remove it`} onClick={() => setAsked('remove')} />
            ) : (
              <Button onClick={() => setAsked('begin')}>{t`Set it up`}</Button>
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
            await api.postAuthSecondFactorRemove({ body: { password }, throwOnError: true });
            sayDone(t`Your account asks for no codes from now on.`);
          } else {
            const { data } = await api.postAuthSecondFactor({ body: { password }, throwOnError: true });
            setBegun(data);
          }
          setAsked(null);
        }}
        refresh={ownAccount}
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

interface ConfirmProps {
  begun: api.NewSecondFactor | null;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}

function Confirm({ begun, onClose, onDone }: ConfirmProps) {
  const form = useActionForm(api.postAuthSecondFactorConfirmMutation(), {
    initialValues: { code: '' },
    validate: { code: isNotEmpty(t`Enter the six digits`) },
    labels: { code: t`Code` },
    request: (body) => ({ body }),
    onDone: ({ backupCodes }) => onDone(backupCodes),
    refresh: ownAccount,
  });
  return (
    <Dialog
      opened={begun !== null}
      onClose={onClose}
      title={t`Scan this with your authenticator`}
      closeOnClickOutside={false}
    >
      {begun && (
        <DialogForm form={form} action={t`Turn it on`} onClose={onClose}>
          <QrCode text={begun.url} />
          <div>
            <Small>{t`Or type this into it`}</Small>
            <CopyLine value={begun.secret} what={t`the secret`} />
          </div>
          <TextInput
            description={t`The six digits that it shows then`}
            inputMode="numeric"
            autoComplete="one-time-code"
            data-autofocus
            {...form.field('code')}
          />
        </DialogForm>
      )}
    </Dialog>
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

const BackupCodes = ({ codes, onClose }: { codes: string[] | null; onClose: () => void }) => (
  <Dialog
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
          {t`Keep them where your phone is not: each opens your account once, and they are shown this once.`}
        </Alert>
        <CodeBlock text={codes.join('\n')} what={t`the backup codes`} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t`I have stored them`}</Button>
        </Group>
      </Stack>
    )}
  </Dialog>
);
