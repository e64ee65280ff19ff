import { Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { AdminOnly, CodeBlock, CopyLine, Loaded, Section, useAccount } from '#parts';
import { t, Trans } from '#texts';
import { Quiet } from '#words';
import { SandboxTools } from './sandbox-tools';

export function Sandbox() {
  const { baseUrl } = useAccount();
  const save = useAction(api.putAbandonmentRecoverySandboxEmrConfigMutation(), {
    done: ({ enabled }) => (enabled ? t`The sandbox is on.` : t`The sandbox is off.`),
    refresh: ['sandbox', 'proving', 'patients', 'integrations', 'providers'],
  });
  return (
    <Stack gap="lg">
      <Section
        title={t`Sandbox EMR`}
        lead={t`A small EMR shaped like FHIR R4, with your own copy of fixture patients, to try an integration end to end.`}
      >
        <Loaded query={useQuery(api.getAbandonmentRecoverySandboxEmrConfigOptions())} rows={1}>
          {({ enabled }) => (
            <AdminOnly>
              <Switch
                label={enabled ? t`The sandbox is on` : t`The sandbox is off`}
                description={t`While it is off, FHIR routes answer 403 and calls cannot book or move appointments.`}
                checked={enabled}
                disabled={save.isPending}
                onChange={({ currentTarget }) => save.mutate({ body: { enabled: currentTarget.checked } })}
              />
            </AdminOnly>
          )}
        </Loaded>
      </Section>
      <SandboxTools />
      <Section title={t`Address`} lead={t`FHIR clients use the token of a dashboard session as Bearer token.`} gap="sm">
        <CopyLine value={baseUrl} what={t`the base address`} />
        <Quiet>
          <Trans>
            For example, the open slots of a provider. ACCESS_TOKEN is the “token” that{' '}
            <code>POST {baseUrl}/auth/sign-in/email</code> gives for your e-mail and password, or the token of a named
            sandbox:
          </Trans>
        </Quiet>
        <CodeBlock
          what={t`the example`}
          text={`curl "${baseUrl}/Slot?schedule=Schedule/Dr.Chen" \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`}
        />
      </Section>
    </Stack>
  );
}
