import { PasswordInput, Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { type Labels, SettingsForm, StoredSettings, useSettingsForm } from '#forms';
import { Section } from '#parts';
import { t } from '#texts';
type Change = api.PutIntegrationsCrmData['body'];

const labels: Record<api.CrmSettings['kind'], Labels> = {
  none: {},
  hubspot: { accessToken: t`Access token` },
  webhook: { url: 'URL', token: t`Bearer token, if it asks for one` },
};

export const Crm = () => <StoredSettings query={useQuery(api.getIntegrationsCrmOptions())} editor={Editor} />;

function Editor({ stored: settings }: { stored: api.CrmSettings }) {
  const form = useSettingsForm(api.putIntegrationsCrmMutation(), {
    initialValues: {
      kind: settings.kind,
      enabled: settings.kind === 'none' || settings.enabled,
      url: settings.url ?? '',
      accessToken: '',
      token: '',
    },
    labels: ({ kind }) => labels[kind],
    validate: {
      url: (url, { kind }) =>
        kind === 'webhook' && url.trim() === '' ? t`Type where patients are sent, as https://…` : null,
    },
    request: (values) => ({ body: toChange(values) }),
  });
  const { kind } = form.values;
  const isKept = settings.hasToken && settings.kind === kind;
  const secret = {
    description: t`Stored encrypted, never read back`,
    placeholder: isKept ? t`Leave empty to keep the one that is stored` : undefined,
    autoComplete: 'off',
    visibilityToggleButtonProps: { 'aria-label': t`Show what you type` },
  };
  return (
    <Section title="CRM" lead={t`New patients and what they say at intake are synced here.`}>
      <SettingsForm form={form}>
        <Radio.Group label={t`Sync patients to`} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            <Radio value="none" label={t`Nothing`} />
            <Radio value="hubspot" label="HubSpot" description={t`With the access token of a private app`} />
            <Radio value="webhook" label={t`A webhook`} description={t`Any address that takes JSON`} />
          </Stack>
        </Radio.Group>
        {kind === 'hubspot' && <PasswordInput {...secret} {...form.field('accessToken')} />}
        {kind === 'webhook' && (
          <>
            <TextInput type="url" {...form.field('url')} />
            <PasswordInput {...secret} {...form.field('token')} />
          </>
        )}
        {kind !== 'none' && <Switch label={t`Sync`} {...form.getInputProps('enabled', { type: 'checkbox' })} />}
      </SettingsForm>
    </Section>
  );
}

/** A token that is left empty is left out, and so stays as it is. */
function toChange({
  kind,
  enabled,
  url,
  accessToken,
  token,
}: Record<'url' | 'accessToken' | 'token', string> & { kind: api.CrmSettings['kind']; enabled: boolean }): Change {
  if (kind === 'none') return { kind };
  if (kind === 'hubspot') return { kind, enabled, accessToken: accessToken || undefined };
  return { kind, enabled, url: url.trim(), token: token || undefined };
}
