import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteIntegrationsApprovedApiMutation,
  getIntegrationsApprovedApiOptions,
  putIntegrationsApprovedApiMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import classes from './approved-api.module.css';
import {
  type Action,
  actions,
  fieldOf,
  labelsOf,
  methods,
  toChange,
  toValues,
  type Values,
} from './approved-api-values';
import { CheckApi, Refused } from './check-api';
import { ClientKeys } from './client-keys';
import { blankRows, FhirServer, RowList } from './fhir-server';
import { TryAction } from './try-action';

const kinds: { value: Settings['kind']; label: string }[] = [
  { value: 'json', label: t`JSON: you set each request below` },
  { value: 'fhir-r4', label: t`FHIR R4: the service speaks it itself` },
];

type Settings = Api.ApprovedApiSettings;
type Form = UseFormReturnType<Values>;

export function ApprovedApi() {
  const settings = useQuery(getIntegrationsApprovedApiOptions());
  return (
    <Loaded query={settings}>
      {(data) => <Editable stored={data}>{(stored) => <Editor settings={stored} />}</Editable>}
    </Loaded>
  );
}

function Editor({ settings }: { settings: Settings }) {
  const saved = useSaved();
  const [tried, setTried] = useState<Action | null>(null);
  const form = useForm<Values>({ initialValues: toValues(settings) });
  const save = useMutation({
    ...putIntegrationsApprovedApiMutation(),
    async onSuccess() {
      sayDone(t`Saved.`);
      await saved();
    },
    onError: (error) => showRefusal(form, error, labelsOf(form.values), fieldOf),
  });
  const isDirty = form.isDirty();
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate({ body: toChange(values) }))} noValidate>
      <Stack gap="lg">
        <Section
          title={t`Your API`}
          lead={t`During a workflow the service can call an API of yours: only the actions that you permit here, and only there.`}
        >
          <AdminOnly>
            <Stack>
              <Select label={t`Kind`} data={kinds} allowDeselect={false} {...form.getInputProps('kind')} />
              <TextInput
                label={t`Base URL`}
                type="url"
                placeholder="https://api.clinic.example/v1"
                {...form.getInputProps('baseUrl')}
              />
              <Authentication form={form} settings={settings} />
              <Certificate form={form} endsAt={settings.certificateEndsAt} />
            </Stack>
          </AdminOnly>
        </Section>
        <Section title={t`Headers`} lead={t`Sent with every request, as your API or its gateway asks for them.`} flush>
          <RowList
            form={form}
            list="headers"
            add={t`Add a header`}
            rows={form.values.headers}
            onAdd={() => form.insertListItem('headers', { ...blankRows.headers })}
          />
        </Section>
        {form.values.kind === 'fhir-r4' ? (
          <FhirServer form={form} capabilities={settings.capabilities} />
        ) : (
          <Section
            title={t`Permitted actions`}
            lead={t`Paths may hold ${'{parameters}'}, as ${'/forms/{sessionId}'}. What is not ticked is never called.`}
            flush
          >
            <ul className={classes.actions}>
              {actions.map(({ name, what }) => (
                <ActionRow
                  key={name}
                  form={form}
                  name={name}
                  what={what}
                  onTry={settings.actions[name] && !isDirty ? () => setTried(name) : undefined}
                />
              ))}
            </ul>
          </Section>
        )}
        {save.error && form.values.fhir.isOn && <Refused error={save.error} />}
        <FormFooter isDirty={isDirty} isSaving={save.isPending}>
          {settings.baseUrl && <Remove />}
        </FormFooter>
        {settings.baseUrl && <CheckApi isSaved={!isDirty} />}
      </Stack>
      {tried && settings.actions[tried] && (
        <TryAction action={tried} permitted={settings.actions[tried]} onClose={() => setTried(null)} />
      )}
    </form>
  );
}

const secretPlaces = [
  { value: 'client_secret_basic', label: t`in the header (client_secret_basic)` },
  { value: 'client_secret_post', label: t`in the body (client_secret_post)` },
];

function Authentication({ form, settings }: { form: Form; settings: Settings }) {
  const { method } = form.values.auth;
  const isKept = settings.baseUrl !== null && settings.auth.method === method;
  const secret = {
    placeholder: isKept ? t`Leave empty to keep the one that is stored` : undefined,
    description: t`Stored encrypted, never read back`,
    autoComplete: 'off',
    visibilityToggleButtonProps: { 'aria-label': t`Show what you type` },
  };
  return (
    <>
      <Select label={t`Authentication`} data={methods} {...form.getInputProps('auth.method')} />
      {method === 'bearer' && <PasswordInput label={t`Token`} {...secret} {...form.getInputProps('auth.token')} />}
      {method === 'basic' && (
        <>
          <TextInput label={t`User name`} autoComplete="off" {...form.getInputProps('auth.username')} />
          <PasswordInput label={t`Password`} {...secret} {...form.getInputProps('auth.password')} />
        </>
      )}
      {method === 'api-key-header' && (
        <>
          <TextInput label={t`Header`} placeholder="x-api-key" {...form.getInputProps('auth.header')} />
          <PasswordInput label={t`Value`} {...secret} {...form.getInputProps('auth.value')} />
        </>
      )}
      {method === 'oauth2-client-credentials' && (
        <>
          <TextInput label={t`Token URL`} type="url" {...form.getInputProps('auth.tokenUrl')} />
          <TextInput label={t`Client id`} autoComplete="off" {...form.getInputProps('auth.clientId')} />
          <PasswordInput label={t`Client secret`} {...secret} {...form.getInputProps('auth.clientSecret')} />
          <Select
            label={t`The secret stands`}
            data={secretPlaces}
            allowDeselect={false}
            {...form.getInputProps('auth.clientAuthentication')}
          />
          <TextInput label={t`Scope`} {...form.getInputProps('auth.scope')} />
          <TextInput label={t`Audience`} {...form.getInputProps('auth.audience')} />
        </>
      )}
      {method === 'smart-backend' && (
        <>
          <TextInput label={t`Client id`} autoComplete="off" {...form.getInputProps('auth.clientId')} />
          <TextInput
            label={t`Scope`}
            placeholder={t`system/Patient.rs system/Appointment.cruds`}
            {...form.getInputProps('auth.scope')}
          />
          <TextInput
            label={t`Token URL`}
            type="url"
            description={t`Empty: read from .well-known/smart-configuration below the base URL`}
            {...form.getInputProps('auth.tokenUrl')}
          />
          <TextInput
            label={t`Audience`}
            description={t`Empty: the token URL`}
            {...form.getInputProps('auth.audience')}
          />
          <ClientKeys />
        </>
      )}
    </>
  );
}

/** For an API that wants a certificate while it is connected to. */
function Certificate({ form, endsAt }: { form: Form; endsAt: string | null }) {
  const placeholder = endsAt === null ? '-----BEGIN …' : t`Leave empty to keep the one that is stored`;
  return (
    <>
      <Checkbox
        label={t`Connect with a certificate (mutual TLS)`}
        description={endsAt === null ? undefined : t`The stored one holds until ${endsAt.slice(0, 10)}`}
        {...form.getInputProps('clientCertificate.isUsed', { type: 'checkbox' })}
      />
      {form.values.clientCertificate.isUsed && (
        <>
          <Textarea
            label={t`Certificate`}
            description={t`PEM, with what it is issued by`}
            placeholder={placeholder}
            {...form.getInputProps('clientCertificate.certificate')}
          />
          <Textarea
            label={t`Private key`}
            description={t`PEM, without a passphrase. Stored encrypted, never read back`}
            placeholder={placeholder}
            {...form.getInputProps('clientCertificate.privateKey')}
          />
        </>
      )}
    </>
  );
}

function ActionRow({ form, name, what, onTry }: { form: Form; name: Action; what: string; onTry?: () => void }) {
  // A key with a dot in it is not a path of the form; each action stands under its place in the list.
  const index = actions.findIndex((action) => action.name === name);
  const at = `actions.${index}`;
  const isPermitted = form.values.actions[index]?.isPermitted ?? false;
  return (
    <li className={classes.action}>
      <AdminOnly>
        <Checkbox label={`${what} (${name})`} {...form.getInputProps(`${at}.isPermitted`, { type: 'checkbox' })} />
      </AdminOnly>
      {isPermitted && (
        <AdminOnly>
          <div className={classes.request}>
            <Select
              aria-label={t`Method of ${name}`}
              data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
              {...form.getInputProps(`${at}.method`)}
            />
            <TextInput
              aria-label={t`Path of ${name}`}
              placeholder="/path/{id}"
              className={classes.path}
              {...form.getInputProps(`${at}.path`)}
            />
            <Button variant="default" disabled={!onTry} onClick={onTry} aria-label={t`Try it: ${name}`}>
              <Trans>Try it</Trans>
            </Button>
          </div>
          {!onTry && (
            <Text size="xs" c="dimmed" pl={32} mt={4}>
              <Trans>Save to try it.</Trans>
            </Text>
          )}
        </AdminOnly>
      )}
    </li>
  );
}

function Remove() {
  const refresh = useRefresh('integrations');
  const remove = useMutation({
    ...deleteIntegrationsApprovedApiMutation(),
    onSuccess: () => sayDone(t`Your API is not called any more.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Remove your API?`,
      children: (
        <Text size="sm">
          <Trans>It is not called any more, and its credentials are forgotten.</Trans>
        </Text>
      ),
      labels: { confirm: t`Remove`, cancel: t`Keep it` },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate({}),
    });
  return (
    <Button variant="default" onClick={ask} loading={remove.isPending}>
      <Trans>Remove</Trans>
    </Button>
  );
}
