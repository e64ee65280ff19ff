import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import * as api from '#api';
import { DialogButton, useActionForm } from '#forms';
import { IconSearch } from '#icons';
import { RecordList, useList } from '#lists';
import { AdminOnly, onDemand, Section } from '#parts';
import { t } from '#texts';
import { Moment, nameOf, PageLink, Phone, useExamplePhone, usePhone } from '#words';
import { ImportOptOuts } from './import-opt-outs';
import { optOutScopes, OptOutSource } from './opt-out';
import classes from './opt-outs.module.css';

const AllowNumberForm = onDemand(async () => (await import('./allow-calls-form')).AllowNumberForm);

/** Who is not called. What is typed stays out of the address: it may be a name. */
export function OptOuts() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const listed = useList<api.ListedOptOut, { search?: string }>({
    area: 'integrations',
    read: api.getIntegrationsOptOuts,
    query: search === '' ? {} : { search },
    isCounted: false,
  });
  return (
    <Stack gap="lg">
      <Section
        title={t`Opt-outs`}
        lead={t`Numbers that are not called, about anything or about recovery and reminders. A case of such a number ends as Not interested without a call. Anyone at the clinic may add one, or allow calls again.`}
        flush
      >
        <Group className={classes.add} justify="space-between" align="flex-start" gap="sm">
          <Add />
          <TextInput
            type="search"
            aria-label={t`Search opt-outs`}
            placeholder={t`Name or number`}
            leftSection={<IconSearch size={16} />}
            w={{ base: '100%', xs: 260 }}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </Group>
        <RecordList
          label={t`Opt-outs`}
          listed={listed}
          keyOf={({ id }) => id}
          columns={[
            { head: t`Phone`, cell: ({ phone }) => <Phone number={phone} /> },
            { head: t`Patient`, cell: ({ patients }) => <Whose patients={patients} /> },
            { head: t`Not called about`, cell: ({ scope }) => optOutScopes[scope] },
            { head: t`Who said so`, cell: (optOut) => <OptOutSource optOut={optOut} />, width: '20%', isRest: true },
            { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} near={false} /> },
            { head: t`Change`, cell: (optOut) => <Remove optOut={optOut} />, width: 140, isActions: true },
          ]}
          empty={{ title: search === '' ? t`Nobody has opted out` : t`Nobody of that name or number has opted out` }}
        />
      </Section>
      <AdminOnly>
        <ImportOptOuts />
      </AdminOnly>
    </Stack>
  );
}

/** Households share a number. */
const Whose = ({ patients }: Pick<api.ListedOptOut, 'patients'>) =>
  patients.length === 0
    ? '–'
    : patients.map((patient) => (
        <div key={patient.id}>
          <PageLink to={`/patients/${patient.id}`}>{nameOf(patient)}</PageLink>
        </div>
      ));

function Add() {
  const written = usePhone();
  const form = useActionForm(api.postIntegrationsOptOutsMutation(), {
    initialValues: { phone: '' },
    labels: { phone: t`Phone` },
    request: (body) => ({ body }),
    done: ({ phone }) => t`${written(phone)} is not called any more.`,
    refresh: ['integrations'],
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          aria-label={t`Phone`}
          placeholder={useExamplePhone()}
          type="tel"
          flex={1}
          maw={260}
          {...form.getInputProps('phone')}
        />
        <Button type="submit" loading={form.isSaving}>
          {t`Never call it`}
        </Button>
      </Group>
    </form>
  );
}

function Remove({ optOut }: { optOut: api.OptOut }) {
  const phone = usePhone()(optOut.phone);
  return (
    <DialogButton label={t`Allow again`} name={t`Allow again: ${phone}`} title={t`Allow calls to ${phone} again?`}>
      {(close) => <AllowNumberForm optOut={optOut} onDone={close} />}
    </DialogButton>
  );
}
