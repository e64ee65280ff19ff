import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { itemsOf, NumberField, SettingsForm, StoredSettings, typedNumber, useSettingsForm } from '#forms';
import { Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { locale } from '../../language';
import classes from './retention.module.css';

type Item = api.Retention['items'][number];
type Kind = Item['kind'];

const labels: Record<Kind, string> = {
  inbound_payloads: t`Bodies of events that your systems sent`,
  tool_contents: t`What voice agents asked and were told in calls`,
  event_bodies: t`Bodies of events that were sent to you`,
  sent_messages: t`Messages within the service`,
  stored_answers: t`Answers for repeated requests (Idempotency-Key)`,
  call_evidence: t`Transcripts and recording links of calls`,
  call_decisions: t`Why a phone rang or did not`,
  observed_exchanges: t`What a client did in a validation run; what was found stays`,
};

export function Retention() {
  return <StoredSettings query={useQuery({ ...api.getRetentionOptions(), select: itemsOf })} editor={Editor} />;
}

/** An empty field takes the default. */
const chosenDays = ({ isDefault, days }: Item): number | null => (isDefault ? null : days);

function Editor({ stored: items }: { stored: Item[] }) {
  const form = useSettingsForm(api.putRetentionMutation(), {
    initialValues: Object.fromEntries<number | null>(items.map((item) => [item.kind, chosenDays(item)])),
    labels,
    request: (body) => ({ body }),
    done: t`Saved. What is older goes within a day.`,
  });
  return (
    <Section
      title={t`Retention`}
      lead={t`For how many days contents are kept. Cases, calls, appointments and who did what stay; a duplicate of an old event is still known as one.`}
    >
      <SettingsForm form={form}>
        {items.map((item) => (
          <NumberField
            key={item.kind}
            min={item.minDays}
            max={item.maxDays}
            label={labels[item.kind]}
            description={hint(item)}
            placeholder={item.isDefault ? item.days.toLocaleString(locale) : undefined}
            suffix={t` days`}
            allowDecimal={false}
            classNames={{ wrapper: classes.days }}
            {...form.getInputProps(item.kind)}
            value={form.values[item.kind] ?? ''}
            onChange={(value) => form.setFieldValue(item.kind, typedNumber(value))}
          />
        ))}
        <Quiet>{t`Patients under a legal hold keep everything.`}</Quiet>
      </SettingsForm>
    </Section>
  );
}

function hint({ isDefault, days, purgedUntil }: Item): string {
  const kept = isDefault ? t`Empty: ${days.toLocaleString(locale)} days` : t`Empty: the default`;
  return purgedUntil === null ? kept : t`${kept}; purged until ${new Date(purgedUntil).toLocaleDateString(locale)}`;
}
