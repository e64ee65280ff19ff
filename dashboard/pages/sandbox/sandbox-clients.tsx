import { Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { PageForm, ServiceButton, useActionForm } from '#forms';
import { LoadedList } from '#lists';
import { IdLine, Line, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment, Quiet } from '#words';

/** Clients that get tokens of the sandbox by SMART Backend Services: their public keys, and a way to end them. */
export const SandboxClients = () => (
  <Section
    title={t`SMART clients`}
    lead={t`A client signs assertions with its private key, and gets tokens for the FHIR routes only.`}
    isForAdmins
    gap="md"
  >
    <LoadedList
      query={useQuery(api.getSandboxClientsOptions())}
      rows={1}
      label={t`SMART clients`}
      isInset
      keyOf={({ id }) => id}
      empty={<Quiet>{t`No client is registered.`}</Quiet>}
    >
      {(client) => <Client client={client} />}
    </LoadedList>
    <Register />
  </Section>
);

const Client = ({ client: { id, name, keyIds, createdAt } }: { client: api.SandboxClient }) => (
  <Line
    name={name}
    wrap="wrap"
    align="flex-start"
    more={<IdLine name={t`Client`} value={id} />}
    actions={
      <ServiceButton
        size="xs"
        variant="subtle"
        color="red"
        does={api.deleteSandboxClientsByClientIdMutation()}
        done={t`Removed.`}
        refresh={['proving']}
        request={{ path: { clientId: id } }}
        ask={{
          title: t`Remove ${name}?`,
          what: t`Its tokens end at once.`,
          isFinal: true,
        }}
        name={t`Remove ${name}`}
        label={t`Remove`}
      />
    }
  >
    <Trans>
      registered <Moment at={createdAt} />
    </Trans>
    {keyIds.length > 0 && t`, keys ${keyIds.join(', ')}`}
  </Line>
);

function Register() {
  const form = useActionForm(api.postSandboxClientsMutation(), {
    initialValues: { name: '', jwks: '' },
    validate: { jwks: (text) => (readJson(text) === null ? t`This is not JSON` : null) },
    labels: { name: t`Name`, jwks: t`Key set` },
    request: ({ name, jwks }) => ({
      body: { name, jwks: readJson(jwks) as api.PostSandboxClientsData['body']['jwks'] },
    }),
    done: t`Registered. Its id is issuer and subject of its assertions.`,
    refresh: ['proving'],
  });
  return (
    <PageForm form={form} action={t`Register the client`} variant="default" gap="sm">
      <TextInput maxLength={200} {...form.field('name')} />
      <Textarea
        description={t`The public keys as a JSON Web Key Set: RSA for RS384, P-384 for ES384`}
        placeholder='{ "keys": [ … ] }'
        autosize
        minRows={3}
        maxRows={10}
        {...form.field('jwks')}
      />
    </PageForm>
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
