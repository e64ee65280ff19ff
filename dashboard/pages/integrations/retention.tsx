import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRetentionOptions, putRetentionMutation } from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { locale } from '../../language';
import classes from './retention.module.css';

type Item = Api.Retention['items'][number];
type Kind = Item['kind'];

const labels: Record<Kind, string> = {
  inbound_payloads: t`Bodies of events that your systems sent`,
  tool_contents: t`What voice agents asked and were told in calls`,
  event_bodies: t`Bodies of events that were sent to you`,
  sent_messages: t`Messages within the service`,
  stored_answers: t`Answers for repeated requests (Idempotency-Key)`,
  call_evidence: t`Transcripts, recording links and costs of calls`,
  call_decisions: t`Why a phone rang or did not`,
  observed_exchanges: t`What a client did in a validation run; what was found stays`,
};

export function Retention() {
  const retention = useQuery(getRetentionOptions());
  return (
    <Loaded query={retention}>
      {({ items }) => <Editable stored={items}>{(stored) => <Editor items={stored} />}</Editable>}
    </Loaded>
  );
}

/** An empty field takes the default. */
const chosenDays = ({ isDefault, days }: Item): number | null => (isDefault ? null : days);

function Editor({ items }: { items: Item[] }) {
  const saved = useSaved();
  const form = useForm({
    initialValues: Object.fromEntries<number | null>(items.map((item) => [item.kind, chosenDays(item)])),
  });
  const save = useMutation({
    ...putRetentionMutation(),
    async onSuccess() {
      sayDone(t`Saved. What is older goes within a day.`);
      await saved();
    },
    onError: (error) => showRefusal(form, error, labels),
  });
  return (
    <Section
      title={t`What is kept`}
      lead={t`For how many days contents are kept. Cases, calls, appointments and who did what stay; a duplicate of an old event is still known as one.`}
    >
      <AdminOnly>
        <form onSubmit={form.onSubmit((body) => save.mutate({ body }))} noValidate>
          <Stack>
            {items.map((item) => (
              <NumberInput
                key={item.kind}
                label={labels[item.kind]}
                description={hint(item)}
                placeholder={item.isDefault ? item.days.toLocaleString(locale) : undefined}
                suffix={t` days`}
                allowDecimal={false}
                classNames={{ wrapper: classes.days }}
                {...form.getInputProps(item.kind)}
                value={form.values[item.kind] ?? ''}
                onChange={(value) => form.setFieldValue(item.kind, value === '' ? null : Number(value))}
              />
            ))}
            <Text size="sm" c="dimmed">
              <Trans>Patients under a legal hold keep everything.</Trans>
            </Text>
            <FormFooter isDirty={form.isDirty()} isSaving={save.isPending} />
          </Stack>
        </form>
      </AdminOnly>
    </Section>
  );
}

function hint({ isDefault, days, purgedUntil }: Item): string {
  const kept = isDefault ? t`Empty: ${days.toLocaleString(locale)} days` : t`Empty: the default`;
  return purgedUntil === null ? kept : t`${kept}; purged until ${new Date(purgedUntil).toLocaleDateString(locale)}`;
}
