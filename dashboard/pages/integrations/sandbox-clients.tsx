import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteSandboxClientsByClientIdMutation,
  getSandboxClientsOptions,
  postSandboxClientsMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { IdLine } from '../../parts/copy';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded, Nothing } from '../../parts/states';

/** Clients that get tokens of the sandbox by SMART Backend Services: their public keys, and a way to end them. */
export function SandboxClients() {
  const clients = useQuery(getSandboxClientsOptions());
  return (
    <Section
      title={t`SMART clients`}
      lead={t`A client signs assertions with its private key, and gets tokens for the FHIR routes alone.`}
    >
      <AdminOnly>
        <Stack>
          <Loaded query={clients} rows={1}>
            {({ items }) =>
              items.length === 0 ? (
                <Nothing>
                  <Trans>No client is registered.</Trans>
                </Nothing>
              ) : (
                <PlainList label={t`SMART clients`} isInset>
                  {items.map((client) => (
                    <Client key={client.id} client={client} />
                  ))}
                </PlainList>
              )
            }
          </Loaded>
          <Register />
        </Stack>
      </AdminOnly>
    </Section>
  );
}

function Client({ client: { id, name, keyIds, createdAt } }: { client: Api.SandboxClient }) {
  const refresh = useRefresh('proving');
  const remove = useMutation({
    ...deleteSandboxClientsByClientIdMutation(),
    onSuccess: () => sayDone(t`Removed.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Remove ${name}?`,
      children: (
        <Text size="sm">
          <Trans>Its tokens end at once.</Trans>
        </Text>
      ),
      labels: { confirm: t`Remove`, cancel: t`Keep it` },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate({ path: { clientId: id } }),
    });
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          <Trans>
            registered <Moment at={createdAt} />
          </Trans>
          {keyIds.length > 0 && t`, keys ${keyIds.join(', ')}`}
        </Text>
        <IdLine name={t`Client`} value={id} />
      </div>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        loading={remove.isPending}
        aria-label={t`Remove ${name}`}
        onClick={ask}
      >
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

function Register() {
  const refresh = useRefresh('proving');
  const form = useForm({ initialValues: { name: '', jwks: '' } });
  const register = useMutation({
    ...postSandboxClientsMutation(),
    onSuccess() {
      form.reset();
      sayDone(t`Registered. Its id is issuer and subject of its assertions.`);
    },
    onError: (error) => showRefusal(form, error, { name: t`Name`, jwks: t`Key set` }),
    onSettled: refresh,
  });
  const send = ({ name, jwks }: typeof form.values) => {
    const read = readJson(jwks);
    if (read === null) return form.setErrors({ jwks: t`This is not JSON` });
    register.mutate({ body: { name, jwks: read as Api.PostSandboxClientsData['body']['jwks'] } });
  };
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack gap="sm">
        <TextInput label={t`Name`} maxLength={200} {...form.getInputProps('name')} />
        <Textarea
          label={t`Key set`}
          description={t`The public keys as a JSON Web Key Set: RSA for RS384, P-384 for ES384`}
          placeholder='{ "keys": [ … ] }'
          autosize
          minRows={3}
          maxRows={10}
          {...form.getInputProps('jwks')}
        />
        <Group>
          <Button type="submit" variant="default" loading={register.isPending}>
            <Trans>Register the client</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
