import { Group, Stack, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { LineForm, ServiceButton, showSecret, useActionForm } from '#forms';
import { LoadedList } from '#lists';
import { AdminOnly, Line, Section, useAccount } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';

/** More sandboxes of the clinic, each with a token of its own. */
export function NamedSandboxes() {
  const { baseUrl } = useAccount();
  const showToken = (name: string, token: string) =>
    showSecret({
      title: t`The token of “${name}”`,
      what: t`the token`,
      secret: token,
      note: t`It opens this sandbox only: its FHIR routes, and what sets it up under /sandbox.`,
      example: `curl "${baseUrl}/Slot?schedule=Schedule/Dr.Chen" \\\n  -H "Authorization: Bearer ${token}"`,
    });
  const form = useActionForm(api.postSandboxesMutation(), {
    initialValues: { name: '' },
    validate: { name: isNotEmpty(t`A sandbox needs a name`) },
    labels: { name: t`Name of the sandbox` },
    request: ({ name }) => ({ body: { name: name.trim() } }),
    onDone: ({ name, token }) => showToken(name, token),
    refresh: ['proving'],
  });
  return (
    <Section
      title={t`More sandboxes`}
      lead={t`One for each team, and one for its CI: each has its own patients, appointments, clock, failures and lenient rules, and its own token.`}
    >
      <Stack>
        <AdminOnly>
          <LineForm form={form} action={t`Open a sandbox`}>
            <TextInput
              description={t`It begins with your providers as they are now, and the fixtures`}
              placeholder="CI"
              maxLength={60}
              {...form.field('name')}
            />
          </LineForm>
        </AdminOnly>
        <LoadedList
          query={useQuery(api.getSandboxesOptions())}
          rows={1}
          label={t`More sandboxes`}
          isInset
          keyOf={({ id }) => id}
          empty={null}
        >
          {(sandbox) => <NamedSandbox sandbox={sandbox} showToken={showToken} />}
        </LoadedList>
      </Stack>
    </Section>
  );
}

function NamedSandbox({
  sandbox: { id, name, createdAt },
  showToken,
}: {
  sandbox: api.NamedSandbox;
  showToken: (name: string, token: string) => void;
}) {
  const path = { sandboxId: id };
  return (
    <Line
      name={name}
      wrap="wrap"
      actions={
        <AdminOnly>
          <Group gap="xs">
            <ServiceButton
              size="xs"
              does={api.postSandboxesBySandboxIdTokenMutation()}
              onDone={({ token }) => showToken(name, token)}
              request={{ path }}
              ask={{
                title: t`A new token for “${name}”?`,
                what: t`Anyone who uses the one that it has is refused at once.`,
                yes: t`Create a new token`,
              }}
              name={t`New token for ${name}`}
              label={t`New token`}
            />
            <ServiceButton
              size="xs"
              variant="subtle"
              color="red"
              does={api.deleteSandboxesBySandboxIdMutation()}
              done={t`${name} is removed.`}
              refresh={['proving']}
              request={{ path }}
              ask={{
                title: t`Remove “${name}”?`,
                what: t`Its token stops working, and everything in it is deleted.`,
                yes: t`Remove it`,
                isFinal: true,
              }}
              name={t`Remove ${name}`}
              label={t`Remove`}
            />
          </Group>
        </AdminOnly>
      }
    >
      <Trans>
        opened <Moment at={createdAt} />
      </Trans>
    </Line>
  );
}
