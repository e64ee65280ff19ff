import { Button, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { FormDialog, useActionForm } from '#forms';
import { addPasskey, type Area, canUsePasskeys } from '#http';
import { IconPlus } from '#icons';
import { LoadedList } from '#lists';
import { ChangeMenu, Empty, Line, Mark, sayDone, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';
import { AskPassword } from './ask-password';
import { browserOf } from './session-line';

const ownAccount: Area[] = ['passkeys', 'secondFactor', 'people', 'account'];

/** Keys on the person's own devices, each of which signs in by itself. */
export function Passkeys({ onSet }: { onSet?: () => void }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Section
      title={t`Passkeys`}
      lead={t`Sign in with your fingerprint, your face or your device’s PIN. A passkey replaces the password and the second factor, and works at this address only.`}
      flush
      actions={
        canUsePasskeys() && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
            {t`Add a passkey`}
          </Button>
        )
      }
    >
      <LoadedList
        query={useQuery(api.getAuthPasskeysOptions())}
        label={t`Passkeys`}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No passkey yet`}>
            {canUsePasskeys()
              ? t`Add one on each device that you sign in with, or on a key that you carry.`
              : t`Passkeys do not work in this browser at this address: they need TLS and a domain name.`}
          </Empty>
        }
      >
        {(passkey) => <Passkey passkey={passkey} />}
      </LoadedList>
      <AskPassword
        opened={isAdding}
        title={t`Add a passkey`}
        lead={t`Your browser then asks where to keep it. Without one-time codes, the password alone opens your account no more: have a passkey on two devices.`}
        naming={{ label: t`Name`, suggested: browserOf(navigator.userAgent) }}
        action={{ label: t`Go on` }}
        onClose={() => setIsAdding(false)}
        onPassword={async (given) => {
          await addPasskey(given);
          setIsAdding(false);
          sayDone(t`From now on this passkey signs you in.`);
          onSet?.();
        }}
        refresh={ownAccount}
      />
    </Section>
  );
}

function Passkey({ passkey }: { passkey: api.Passkey }) {
  const { id, name, isSynced, createdAt, usedAt } = passkey;
  const [asked, setAsked] = useState<'rename' | 'remove' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Line
        name={name}
        marks={isSynced && <Mark>{t`On several devices`}</Mark>}
        actions={
          <ChangeMenu
            name={t`Change ${name}`}
            width={180}
            items={[
              { label: t`Rename`, onClick: () => setAsked('rename') },
              { label: t`Remove`, onClick: () => setAsked('remove'), color: 'red' },
            ]}
          />
        }
      >
        <Trans>
          added <Moment at={createdAt} /> ·
        </Trans>{' '}
        {usedAt ? t`used` : t`not used yet`} {usedAt && <Moment at={usedAt} />}
      </Line>
      <Rename passkey={passkey} opened={asked === 'rename'} onClose={close} />
      <AskPassword
        opened={asked === 'remove'}
        title={t`Remove ${name}`}
        lead={t`It no longer signs you in. Remove it from your device as well, or the device keeps offering it.`}
        action={{ label: t`Remove it`, color: 'red' }}
        onClose={close}
        onPassword={async ({ password }) => {
          await api.postAuthPasskeysByPasskeyIdRemove({
            path: { passkeyId: id },
            body: { password },
            throwOnError: true,
          });
          close();
          sayDone(t`The passkey no longer works.`);
        }}
        refresh={ownAccount}
      />
    </>
  );
}

function Rename({ passkey, opened, onClose }: { passkey: api.Passkey; opened: boolean; onClose: () => void }) {
  const form = useActionForm(api.patchAuthPasskeysByPasskeyIdMutation(), {
    initialValues: { name: passkey.name },
    validate: { name: isNotEmpty(t`Enter a name`) },
    labels: { name: t`Name` },
    request: (body) => ({ path: { passkeyId: passkey.id }, body }),
    keepsValues: true,
    onAllSent: onClose,
    refresh: ['passkeys'],
  });
  return (
    <FormDialog title={t`Rename the passkey`} opened={opened} onClose={onClose} form={form} action={t`Rename`}>
      <TextInput maxLength={60} data-autofocus {...form.field('name')} />
    </FormDialog>
  );
}
