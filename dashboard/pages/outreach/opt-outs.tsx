import { Button, Group, TextInput } from '@mantine/core';
import * as api from '#api';
import { ServiceButton, useActionForm } from '#forms';
import { RecordList, useList } from '#lists';
import { Section } from '#parts';
import { t } from '#texts';
import { Moment, Phone, usePhone } from '#words';
import { optOutScopes, OptOutSource } from './opt-out';
import classes from './opt-outs.module.css';

export function OptOuts() {
  const listed = useList<api.OptOut, object>({
    area: 'integrations',
    read: api.getIntegrationsOptOuts,
    query: {},
    isCounted: false,
  });
  return (
    <Section
      title={t`Opt-outs`}
      lead={t`Phones that are not called, about anything or about recovery and reminders. A case of such a phone ends as Not interested without a call. Everybody of the clinic may add one; an administrator takes one off.`}
      flush
    >
      <Add />
      <RecordList
        label={t`Opt-outs`}
        listed={listed}
        keyOf={({ id }) => id}
        columns={[
          { head: t`Phone`, cell: ({ phone }) => <Phone number={phone} /> },
          { head: t`Not called about`, cell: ({ scope }) => optOutScopes[scope] },
          { head: t`Who said so`, cell: (optOut) => <OptOutSource optOut={optOut} /> },
          { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} near={false} /> },
          { head: t`Change`, cell: (optOut) => <Remove optOut={optOut} />, width: 140, isActions: true },
        ]}
        empty={{ title: t`Nobody has opted out` }}
      />
    </Section>
  );
}

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
    <form className={classes.add} onSubmit={form.submit} noValidate>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          aria-label={t`Phone`}
          placeholder="(303) 555-0101"
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

function Remove({ optOut: { id, phone } }: { optOut: api.OptOut }) {
  const written = usePhone();
  return (
    <ServiceButton
      size="xs"
      does={api.deleteIntegrationsOptOutsByOptOutIdMutation()}
      done={t`${written(phone)} may be called again.`}
      refresh={['integrations']}
      request={{ path: { optOutId: id } }}
      name={t`Allow again: ${written(phone)}`}
      label={t`Allow again`}
      isForAdmins
    />
  );
}
