import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getAbandonmentRecoverySandboxEmrConfigOptions,
  putAbandonmentRecoverySandboxEmrConfigMutation,
} from '../../http/client/@tanstack/react-query.gen';
import { AdminOnly } from '../../parts/admin';
import { CodeBlock, CopyLine } from '../../parts/copy';
import { useRefresh } from '../../parts/refresh';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { useAccount } from '../../shell/account';
import { SandboxTools } from './sandbox-tools';

export function Sandbox() {
  const { baseUrl } = useAccount();
  const config = useQuery(getAbandonmentRecoverySandboxEmrConfigOptions());
  const refresh = useRefresh('sandbox', 'proving', 'patients', 'integrations', 'providers');
  const save = useMutation({
    ...putAbandonmentRecoverySandboxEmrConfigMutation(),
    onSuccess: ({ enabled }) => sayDone(enabled ? t`The sandbox is on.` : t`The sandbox is off.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Stack gap="lg">
      <Section
        title={t`Sandbox EMR`}
        lead={t`A small EMR shaped like FHIR R4, with your own copy of fixture patients, to try an integration end to end.`}
      >
        <Loaded query={config} rows={1}>
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
      <Section title={t`Where it is`} lead={t`FHIR clients use the token of a dashboard session as Bearer token.`}>
        <Stack gap="sm">
          <CopyLine value={baseUrl} what={t`the base address`} />
          <Text size="sm" c="dimmed">
            <Trans>For example, the open slots of a provider:</Trans>
          </Text>
          <CodeBlock
            what={t`the example`}
            text={`curl "${baseUrl}/Slot?schedule=Schedule/Dr.Chen" \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`}
          />
        </Stack>
      </Section>
    </Stack>
  );
}
