import { Checkbox, List, PasswordInput, Select, Stack, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import {
  type FilledForm,
  FormFooter,
  ServiceButton,
  formStateOf,
  StoredSettings,
  useAction,
  useSettingsForm,
} from '#forms';
import { AdminOnly, Mark, PlainButton, Section } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import { ClientKeys } from '../accounts/client-keys';
import {
  type Action,
  actions,
  authLabels,
  fieldOf,
  labelsOf,
  methods,
  toChange,
  toValues,
  type Values,
} from './approved-api-values';
import classes from './approved-api.module.css';
import { CheckApi, Refused } from './check-api';
import { FhirServer, RowList } from './fhir-server';
import { TryAction } from './try-action';

const kinds: { value: api.ApprovedApiSettings['kind']; label: string }[] = [
  { value: 'json', label: t`JSON: you set each request below` },
  { value: 'fhir-r4', label: t`EHR by FHIR R4: the service speaks it itself` },
];
type Form = FilledForm<Values>;

export const ApprovedApi = () => (
  <StoredSettings query={useQuery(api.getIntegrationsApprovedApiOptions())} editor={Editor} />
);

function Editor({ stored: settings }: { stored: api.ApprovedApiSettings }) {
  const [tried, setTried] = useState<Action | null>(null);
  const form = useSettingsForm(api.putIntegrationsApprovedApiMutation(), {
    initialValues: toValues(settings),
    labels: labelsOf,
    fieldOf,
    validate: {
      baseUrl: isNotEmpty(t`Type the address of your API, as https://…`),
      auth: {
        tokenUrl: (url, { auth }) =>
          auth.method === 'oauth2-client-credentials' && url.trim() === ''
            ? t`Type where tokens are asked for, as https://…`
            : null,
      },
    },
    request: (values) => ({ body: toChange(values) }),
  });
  const check = useAction(api.postIntegrationsApprovedApiCheckMutation());
  const isDirty = form.isDirty();
  const isFhir = form.values.kind === 'fhir-r4';
  const checked = settings.baseUrl && <CheckApi isSaved={!isDirty} check={check} />;
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="lg">
        <Section
          title={t`Your EHR or API`}
          lead={t`During a workflow the service can act in your EHR, or call an API of yours: only the actions that you permit here, and only there.`}
          isForAdmins
          gap="md"
        >
          <Select label={t`Kind`} data={kinds} allowDeselect={false} {...form.getInputProps('kind')} />
          {isFhir && <Steps settings={settings} passed={check.data?.passed} />}
          <TextInput
            type="url"
            placeholder={isFhir ? 'https://ehr.clinic.example/fhir/r4' : 'https://api.clinic.example/v1'}
            {...form.field('baseUrl')}
          />
          <Authentication form={form} settings={settings} />
          <Certificate form={form} endsAt={settings.certificateEndsAt} />
        </Section>
        {isFhir && checked}
        <Section title={t`Headers`} lead={t`Sent with every request, as your API or its gateway asks for them.`} flush>
          <RowList form={form} list="headers" add={t`Add a header`} rows={form.values.headers} />
        </Section>
        {isFhir ? (
          <FhirServer
            form={form}
            isSaved={settings.kind === 'fhir-r4' && !isDirty}
            capabilities={settings.capabilities}
          />
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
        {Boolean(form.error) && form.values.fhir.isOn && <Refused error={form.error} />}
        <FormFooter place="page" {...formStateOf(form)}>
          {settings.baseUrl && <Remove isFhir={settings.kind === 'fhir-r4'} />}
        </FormFooter>
        {!isFhir && checked}
      </Stack>
      {tried && settings.actions[tried] && (
        <TryAction action={tried} permitted={settings.actions[tried]} onClose={() => setTried(null)} />
      )}
    </form>
  );
}

const stepWords = [
  t`Save the address and how the service signs in there. Nothing is written yet.`,
  t`Check it, below.`,
  t`Fill the names from the EHR, compare them and save.`,
  t`Once the check finds no problem, switch on that the service writes there, and, if you want it, that calls act there.`,
  t`Try it on a test patient: “Call me”, on the page Voice.`,
];

interface StepsProps {
  settings: api.ApprovedApiSettings;
  /** What the check has said since the page was opened. */
  passed: boolean | undefined;
}

/** In which order an EHR is set up, what of it is done, and what comes next. */
function Steps({ settings: { kind, baseUrl, capabilities, fhir }, passed }: StepsProps) {
  const isSaved = kind === 'fhir-r4' && baseUrl !== null;
  const areDone = [isSaved, passed ?? capabilities !== null, Boolean(fhir?.providers.length), Boolean(fhir?.isOn)];
  const next = areDone.filter((_, index) => areDone.slice(0, index + 1).every(Boolean)).length;
  return (
    <List type="ordered" size="sm" spacing={4}>
      {stepWords.map((words, index) => (
        <List.Item key={words} aria-current={index === next ? 'step' : undefined}>
          {words} {areDone[index] && <Mark color="green">{t`Done`}</Mark>}
          {index === next && <Mark color="pine">{t`Next`}</Mark>}
        </List.Item>
      ))}
    </List>
  );
}

const secretPlaces = [
  { value: 'client_secret_basic', label: t`in the header (client_secret_basic)` },
  { value: 'client_secret_post', label: t`in the body (client_secret_post)` },
];

function Authentication({ form, settings }: { form: Form; settings: api.ApprovedApiSettings }) {
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
      {Object.keys(authLabels[method]).map((name) =>
        secrets.includes(name) ? (
          <PasswordInput key={name} {...secret} {...form.field(`auth.${name}`)} />
        ) : (
          <TextInput key={name} autoComplete="off" {...hintsOf(method)[name]} {...form.field(`auth.${name}`)} />
        ),
      )}
      {method === 'oauth2-client-credentials' && (
        <Select
          label={t`Where the secret is sent`}
          data={secretPlaces}
          allowDeselect={false}
          {...form.getInputProps('auth.clientAuthentication')}
        />
      )}
      {method === 'smart-backend' && <ClientKeys />}
    </>
  );
}

const secrets = ['token', 'password', 'value', 'clientSecret'];

/** What else is said of a field of the authentication. */
const hintsOf = (method: Values['auth']['method']): Partial<Record<string, TextInputProps>> => ({
  header: { placeholder: 'x-api-key' },
  tokenUrl: { type: 'url' },
  ...(method === 'smart-backend' && {
    scope: { placeholder: t`system/Patient.rs system/Appointment.cruds` },
    tokenUrl: { type: 'url', description: t`Empty: read from .well-known/smart-configuration below the base URL` },
    audience: { description: t`Empty: the token URL` },
  }),
});

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
            description={t`PEM, with what it is issued by`}
            placeholder={placeholder}
            {...form.field('clientCertificate.certificate')}
          />
          <Textarea
            description={t`PEM, without a passphrase. Stored encrypted, never read back`}
            placeholder={placeholder}
            {...form.field('clientCertificate.privateKey')}
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
            <PlainButton label={t`Try it`} disabled={!onTry} onClick={onTry} name={t`Try it: ${name}`} />
          </div>
          {!onTry && (
            <Small pl={32} mt={4}>
              {t`Save to try it.`}
            </Small>
          )}
        </AdminOnly>
      )}
    </li>
  );
}

const Remove = ({ isFhir }: { isFhir: boolean }) => (
  <ServiceButton
    does={api.deleteIntegrationsApprovedApiMutation()}
    done={isFhir ? t`Your EHR is not called any more.` : t`Your API is not called any more.`}
    refresh={['integrations']}
    request={{}}
    ask={{
      title: isFhir ? t`Remove your EHR?` : t`Remove your API?`,
      what: t`It is not called any more, and its credentials are forgotten.`,
      yes: t`Remove`,
      isFinal: true,
    }}
    label={t`Remove`}
  />
);
