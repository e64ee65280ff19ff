import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Box, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  getAuthPasskeysOptions,
  patchAuthPasskeysByPasskeyIdMutation,
} from '../../http/client/@tanstack/react-query.gen';
import { postAuthPasskeysByPasskeyIdRemove } from '../../http/client/sdk.gen';
import type * as Api from '../../http/client/types.gen';
import { addPasskey, canUsePasskeys } from '../../http/passkeys';
import { IconChevronDown, IconPlus } from '../../icons';
import { AskPassword } from '../../parts/ask-password';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { browserOf } from '../../parts/session-line';
import { Empty, Loaded } from '../../parts/states';

/** Keys on the person's own devices, each of which signs in by itself. */
export function Passkeys({ onSet }: { onSet?: () => void }) {
  const passkeys = useQuery(getAuthPasskeysOptions());
  const refresh = useRefresh('passkeys', 'secondFactor', 'people', 'account');
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Section
      title={t`Passkeys`}
      lead={t`Sign in by your finger, your face or the PIN of a device. A passkey stands for the password and the second factor, and works at this address alone.`}
      flush
      actions={
        canUsePasskeys() && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
            <Trans>Add a passkey</Trans>
          </Button>
        )
      }
    >
      <Loaded query={passkeys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No passkey yet`}>
              {canUsePasskeys()
                ? t`Add one on each device that you sign in with, or on a key that you carry.`
                : t`This browser, at this address, has none: they need TLS and an address with a name.`}
            </Empty>
          ) : (
            <PlainList label={t`Passkeys`}>
              {items.map((passkey) => (
                <Passkey key={passkey.id} passkey={passkey} />
              ))}
            </PlainList>
          )
        }
      </Loaded>
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
        onSettled={refresh}
      />
    </Section>
  );
}

function Passkey({ passkey }: { passkey: Api.Passkey }) {
  const { id, name, isSynced, createdAt, usedAt } = passkey;
  const refresh = useRefresh('passkeys', 'secondFactor', 'people', 'account');
  const [asked, setAsked] = useState<'rename' | 'remove' | null>(null);
  const close = () => setAsked(null);
  return (
    <Group justify="space-between" wrap="nowrap">
      <Box miw={0} flex={1}>
        <Group gap={6}>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isSynced && (
            <Badge size="sm" variant="light" color="gray">
              <Trans>On several devices</Trans>
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            added <Moment at={createdAt} /> ·
          </Trans>{' '}
          {usedAt ? (
            <>
              <Trans>used</Trans> {<Moment at={usedAt} />}
            </>
          ) : (
            t`not used yet`
          )}
        </Text>
      </Box>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={t`Change ${name}`}
          >
            <Trans>Change</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('rename')}>
            <Trans>Rename</Trans>
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setAsked('remove')}>
            <Trans>Remove</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Rename passkey={passkey} opened={asked === 'rename'} onClose={close} />
      <AskPassword
        opened={asked === 'remove'}
        title={t`Remove ${name}`}
        lead={t`It signs you in no more. Remove it from your device too, which goes on offering it.`}
        action={{ label: t`Remove it`, color: 'red' }}
        onClose={close}
        onPassword={async ({ password }) => {
          await postAuthPasskeysByPasskeyIdRemove({ path: { passkeyId: id }, body: { password }, throwOnError: true });
          close();
          sayDone(t`The passkey signs nobody in any more.`);
        }}
        onSettled={refresh}
      />
    </Group>
  );
}

function Rename({ passkey, opened, onClose }: { passkey: Api.Passkey; opened: boolean; onClose: () => void }) {
  const refresh = useRefresh('passkeys');
  const form = useForm({ initialValues: { name: passkey.name }, validate: { name: isNotEmpty(t`Enter a name`) } });
  const rename = useMutation({
    ...patchAuthPasskeysByPasskeyIdMutation(),
    onSuccess: onClose,
    onError: (error) => showRefusal(form, error, { name: t`Name` }),
    onSettled: refresh,
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t`Rename the passkey`}>
      <form onSubmit={form.onSubmit((body) => rename.mutate({ path: { passkeyId: passkey.id }, body }))} noValidate>
        <Stack>
          <TextInput label={t`Name`} maxLength={60} data-autofocus {...form.getInputProps('name')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              <Trans>Not now</Trans>
            </Button>
            <Button type="submit" loading={rename.isPending}>
              <Trans>Rename</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
