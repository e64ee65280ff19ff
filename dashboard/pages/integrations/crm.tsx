import { t } from '@lingui/core/macro';
import { PasswordInput, Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getIntegrationsCrmOptions, putIntegrationsCrmMutation } from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { type Labels, showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';

type Settings = Api.CrmSettings;
type Change = Api.PutIntegrationsCrmData['body'];

const labels: Record<Settings['kind'], Labels> = {
  none: {},
  hubspot: { accessToken: t`Access token` },
  webhook: { url: 'URL', token: t`Bearer token` },
};

export function Crm() {
  const settings = useQuery(getIntegrationsCrmOptions());
  return (
    <Loaded query={settings}>
      {(data) => <Editable stored={data}>{(stored) => <Editor settings={stored} />}</Editable>}
    </Loaded>
  );
}

function Editor({ settings }: { settings: Settings }) {
  const saved = useSaved();
  const form = useForm({
    initialValues: {
      kind: settings.kind,
      enabled: settings.kind === 'none' || settings.enabled,
      url: settings.url ?? '',
      accessToken: '',
      token: '',
    },
  });
  const { kind } = form.values;
  const save = useMutation({
    ...putIntegrationsCrmMutation(),
    async onSuccess() {
      sayDone(t`Saved.`);
      await saved();
    },
    onError: (error) => showRefusal(form, error, labels[kind]),
  });
  const isKept = settings.hasToken && settings.kind === kind;
  const secret = {
    description: t`Stored encrypted, never read back`,
    placeholder: isKept ? t`Leave empty to keep the one that is stored` : undefined,
    autoComplete: 'off',
    visibilityToggleButtonProps: { 'aria-label': t`Show what you type` },
  };
  return (
    <Section title="CRM" lead={t`New patients and what they say at intake are synced here.`}>
      <AdminOnly>
        <form onSubmit={form.onSubmit((values) => save.mutate({ body: toChange(values) }))} noValidate>
          <Stack>
            <Radio.Group label={t`Sync patients to`} {...form.getInputProps('kind')}>
              <Stack gap="xs" mt="xs">
                <Radio value="none" label={t`Nothing`} />
                <Radio value="hubspot" label="HubSpot" description={t`With the access token of a private app`} />
                <Radio value="webhook" label={t`A webhook`} description={t`Any address that takes JSON`} />
              </Stack>
            </Radio.Group>
            {kind === 'hubspot' && (
              <PasswordInput label={t`Access token`} {...secret} {...form.getInputProps('accessToken')} />
            )}
            {kind === 'webhook' && (
              <>
                <TextInput label="URL" type="url" {...form.getInputProps('url')} />
                <PasswordInput
                  label={t`Bearer token, if it asks for one`}
                  {...secret}
                  {...form.getInputProps('token')}
                />
              </>
            )}
            {kind !== 'none' && <Switch label={t`Sync`} {...form.getInputProps('enabled', { type: 'checkbox' })} />}
            <FormFooter isDirty={form.isDirty()} isSaving={save.isPending} />
          </Stack>
        </form>
      </AdminOnly>
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
}: Record<'url' | 'accessToken' | 'token', string> & { kind: Settings['kind']; enabled: boolean }): Change {
  if (kind === 'none') return { kind };
  if (kind === 'hubspot') return { kind, enabled, accessToken: accessToken || undefined };
  return { kind, enabled, url, token: token || undefined };
}
