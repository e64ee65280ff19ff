import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { byCursor } from '../../http/pages';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import {
  deleteIntegrationsOptOutsByOptOutIdMutation,
  getIntegrationsOptOutsInfiniteOptions,
  postIntegrationsOptOutsMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { Moment } from '../../parts/moment';
import { optOutScopes, OptOutSource } from '../../parts/opt-out';
import { RecordList } from '../../parts/record-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import classes from './opt-outs.module.css';

export function OptOuts() {
  const pages = useInfiniteQuery({ ...getIntegrationsOptOutsInfiniteOptions({ query: { limit: 50 } }), ...byCursor });
  return (
    <Section
      title={t`Opt-outs`}
      lead={t`Phones that are not called, about anything or about recovery and reminders. A case of such a phone ends as Not interested without a call. Everybody of the clinic may add one; an administrator takes one off.`}
      flush
    >
      <Add />
      <RecordList
        label={t`Opt-outs`}
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          { head: t`Phone`, cell: ({ phone }) => phone },
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
  const refresh = useRefresh('integrations');
  const form = useForm({ initialValues: { phone: '' } });
  const add = useMutation({
    ...postIntegrationsOptOutsMutation(),
    onSuccess({ phone }) {
      form.reset();
      sayDone(t`${phone} is not called any more.`);
    },
    onError: (error) => showRefusal(form, error, { phone: t`Phone` }),
    onSettled: refresh,
  });
  return (
    <div className={classes.add}>
      <form onSubmit={form.onSubmit((body) => add.mutate({ body }))} noValidate>
        <Group align="flex-start" gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t`Phone`}
            placeholder="(303) 555-0101"
            type="tel"
            flex={1}
            maw={260}
            {...form.getInputProps('phone')}
          />
          <Button type="submit" loading={add.isPending}>
            <Trans>Never call it</Trans>
          </Button>
        </Group>
      </form>
    </div>
  );
}

function Remove({ optOut: { id, phone } }: { optOut: Api.OptOut }) {
  const refresh = useRefresh('integrations');
  const remove = useMutation({
    ...deleteIntegrationsOptOutsByOptOutIdMutation(),
    onSuccess: () => sayDone(t`${phone} may be called again.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <AdminOnly>
      <Button
        size="xs"
        variant="default"
        loading={remove.isPending}
        aria-label={t`Allow again: ${phone}`}
        onClick={() => remove.mutate({ path: { optOutId: id } })}
      >
        <Trans>Allow again</Trans>
      </Button>
    </AdminOnly>
  );
}
