import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import * as api from '#api';
import {
  itemsOf,
  NumberField,
  type Question,
  SettingsForm,
  StoredSettings,
  typedNumber,
  useSettingsForm,
} from '#forms';
import { Section, useZone } from '#parts';
import { plural, t, Trans } from '#texts';
import { Quiet } from '#words';
import { locale } from '../../language';
import classes from './retention.module.css';

const DAY_MS = 86_400_000;

type Item = api.Retention['items'][number];
type Kind = Item['kind'];
type Chosen = Record<string, number | null>;

/** The service counts no further. */
const MAX_COUNTED = 1_000;

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
  const zone = useZone();
  const form = useSettingsForm(api.putRetentionMutation(), {
    initialValues: Object.fromEntries<number | null>(items.map((item) => [item.kind, chosenDays(item)])),
    labels,
    request: (body) => ({ body }),
    ask: (chosen) =>
      questionOf(
        items.filter((item) => daysIn(chosen, item) < item.days && daysIn(chosen, item) >= item.minDays),
        chosen,
        zone,
      ),
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
            description={hint(item, zone)}
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

const daysIn = (chosen: Chosen, { kind, defaultDays }: Item): number => chosen[kind] ?? defaultDays;

/** Of kinds that are to be kept for a shorter time: what goes, before any of it does. */
async function questionOf(shorter: Item[], chosen: Chosen, zone: string): Promise<Question | null> {
  if (shorter.length === 0) return null;
  const body = Object.fromEntries(shorter.map(({ kind }) => [kind, chosen[kind]]));
  // What cannot be counted is asked about all the same.
  const { data } = await api.postRetentionPreview({ body });
  return {
    title: t`Delete what is older?`,
    what: (
      <>
        {t`This goes within a day and cannot be brought back. What a legal hold protects stays.`}
        {shorter.map((item) => (
          <Fragment key={item.kind}>
            <br />
            <Goes kind={item.kind} days={daysIn(chosen, item)} due={dueOf(data, item.kind)} zone={zone} />
          </Fragment>
        ))}
      </>
    ),
    yes: t`Save and delete`,
    isFinal: true,
  };
}

const dueOf = (data: api.RetentionPreview | undefined, kind: Kind) =>
  data?.items.find((counted) => counted.kind === kind)?.due;

const Goes = ({ kind, days, due, zone }: { kind: Kind; days: number; due: number | undefined; zone: string }) => (
  <>
    <Trans>
      <strong>{labels[kind]}</strong>: what is older than {days.toLocaleString(locale)} days, from before{' '}
      {dateOf(Date.now() - days * DAY_MS, zone)}
    </Trans>
    {due !== undefined && ` (${recordsOf(due)})`}
  </>
);

const recordsOf = (due: number) =>
  due < MAX_COUNTED ? plural(due, { one: '# record now', other: '# records now' }) : t`1,000 records or more now`;

/** On the clinic's calendar. */
const dateOf = (at: number | string, timeZone: string): string => new Date(at).toLocaleDateString(locale, { timeZone });

function hint({ defaultDays, purgedUntil }: Item, zone: string): string {
  const kept = t`Empty: ${defaultDays.toLocaleString(locale)} days`;
  return purgedUntil === null ? kept : t`${kept}; purged until ${dateOf(purgedUntil, zone)}`;
}
