import { Alert, Group, List, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { ActionButton, Dialog, DialogEnd, refusedAt, useAction } from '#forms';
import { Loaded, workflowName, workflowTypes } from '#parts';
import { plural, t, Trans } from '#texts';
import { DayAndTime, isLocalDate, plusDays } from '#words';
import { locale } from '../language';
import { endpointOptions, useFurtherEndpoints } from '../pages/events/endpoint-names';
import { chosenOptions, eventName, eventOptions, isChosenEvent, isOutboundEvent } from '../pages/events/event-names';
import { FilterDay } from './filter-day';

type Kind = api.BulkJob['kind'];

interface Chosen {
  /** A workflow type or an event; null for all. */
  part: string | null;
  /** To which endpoint deliveries are sent again. */
  endpointId: string;
  /** Whatever became of them, in place of those that failed: since a day, which is then needed. */
  isReplay: boolean;
  from: string | null;
  until: string | null;
}

interface BulkDialogProps {
  kind: Kind;
  workflowType?: string | null;
  endpointId?: string;
  from: string | null;
  until: string | null;
  onClose: () => void;
}

/**
 * Asks which records are meant, shows what a dry run says of them, and begins what was shown: what happens after the dry run is no
 * part of it.
 */
export function BulkDialog({ kind, workflowType, endpointId = 'first', from, until, onClose }: BulkDialogProps) {
  const part = workflowType ?? null;
  const [chosen, setChosen] = useState<Chosen>({ part, endpointId, isReplay: false, from, until });
  const words = wordsFor(kind, chosen);
  const isWhole = !chosen.isReplay || chosen.from !== null;
  const dryRun = useQuery({
    queryKey: ['dry run', kind, chosen],
    queryFn: () => ask(kind, chosen, null),
    // What it counts is what is begun: it is counted again only when something else is chosen.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: isWhole,
    retry: false,
  });
  const begin = useAction(
    { mutationFn: (counted: api.BulkStarted) => ask(kind, chosen, counted.until) },
    { done: words.begun, onDone: onClose, refresh: ['bulk', 'runs', 'deliveries'] },
  );
  return (
    <Dialog opened onClose={onClose} title={words.title} size="lg">
      <Stack>
        <Choice kind={kind} chosen={chosen} onChange={setChosen} />
        {!isWhole && <Text size="sm">{t`Choose the day to start from.`}</Text>}
        <Loaded query={dryRun} rows={isWhole ? 3 : 0}>
          {(counted) => (
            <>
              <Counts words={words} counted={counted} />
              {refusedAt(begin.error, 'until') && <Text c="red">{refusedAt(begin.error, 'until')}</Text>}
              <DialogEnd onClose={onClose} close={words.leave}>
                <ActionButton
                  variant="filled"
                  color={words.color}
                  disabled={counted.total === 0}
                  action={begin}
                  request={counted}
                  label={words.begin(counted.total)}
                />
              </DialogEnd>
            </>
          )}
        </Loaded>
      </Stack>
    </Dialog>
  );
}

/** Which records are meant. */
function Choice({ kind, chosen, onChange }: { kind: Kind; chosen: Chosen; onChange: (chosen: Chosen) => void }) {
  const words = wordsFor(kind, chosen);
  const further = useFurtherEndpoints();
  const change = (part: Partial<Chosen>) => onChange({ ...chosen, ...part });
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label={words.part}
        w={{ base: '100%', xs: 250 }}
        data={[{ value: '', label: words.any }, ...words.options]}
        value={chosen.part ?? ''}
        onChange={(part) => change({ part: part === '' ? null : part })}
      />
      {kind === 'resend_deliveries' && (
        <Select
          label={t`Which`}
          w={{ base: '100%', xs: 250 }}
          data={[
            { value: 'failed', label: t`Failed, or missed while it was off` },
            { value: 'all', label: t`All, delivered ones too` },
          ]}
          value={chosen.isReplay ? 'all' : 'failed'}
          allowDeselect={false}
          onChange={(which) => change({ isReplay: which === 'all' })}
        />
      )}
      {kind === 'resend_deliveries' && further.length > 0 && (
        <Select
          label={t`Endpoint`}
          w={{ base: '100%', xs: 250 }}
          data={endpointOptions(further)}
          value={chosen.endpointId}
          allowDeselect={false}
          onChange={(endpointId) => endpointId && change({ endpointId })}
        />
      )}
      <SimpleGrid cols={2} spacing="sm" w={{ base: '100%', xs: 'auto' }}>
        <FilterDay label={words.from} value={chosen.from ?? undefined} onChange={(from) => change({ from })} />
        <FilterDay label={t`Until`} value={chosen.until ?? undefined} onChange={(until) => change({ until })} />
      </SimpleGrid>
    </Group>
  );
}

/** What the dry run says of them. */
function Counts({ words, counted: { total, parts, oldest, newest } }: { words: Words; counted: api.BulkStarted }) {
  return (
    <Alert color={total === 0 ? 'gray' : 'yellow'} title={words.count(total)} role="status">
      <Stack gap="xs">
        {parts.length > 1 && (
          <List size="sm">
            {parts.map(({ name, count }) => (
              <List.Item key={name}>
                {words.nameOf(name)}: {count.toLocaleString(locale)}
              </List.Item>
            ))}
          </List>
        )}
        {oldest && newest && (
          <Text size="sm">
            <Trans>
              From <DayAndTime at={oldest} /> to <DayAndTime at={newest} />.
            </Trans>
          </Text>
        )}
        <Text size="sm">{words.what}</Text>
      </Stack>
    </Alert>
  );
}

/** `until` of the dry run begins it; null only counts. */
async function ask(
  kind: Kind,
  { part, endpointId, isReplay, from, until }: Chosen,
  counted: string | null,
): Promise<api.BulkStarted> {
  const since = from && isLocalDate(from) ? from : undefined;
  const span = {
    from: since,
    // The field names the last day, the service what comes after it.
    until: counted ?? (until && isLocalDate(until) ? plusDays(until, 1) : undefined),
    dryRun: counted === null,
  };
  if (kind === 'cancel_runs') {
    const workflowType = workflowTypes.find(({ value }) => value === part)?.value;
    return (await api.postRunsCancel({ body: { workflowType, ...span }, throwOnError: true })).data;
  }
  if (isReplay && since) {
    const event = isChosenEvent(part) ? part : undefined;
    const body = { event, endpointId, ...span, from: since };
    return (await api.postDeliveriesReplay({ body, throwOnError: true })).data;
  }
  const event = isOutboundEvent(part) ? part : undefined;
  return (await api.postDeliveriesResend({ body: { event, endpointId, ...span }, throwOnError: true })).data;
}

const wordsOf = {
  cancel_runs: {
    title: t`Cancel many runs`,
    part: t`About`,
    any: t`Anything`,
    options: workflowTypes,
    nameOf: workflowName as (name: string) => string,
    from: t`Started from`,
    count: (count: number) => plural(count, { one: '# open run', other: '# open runs' }),
    what: t`None of them makes another call. Each ends as “Follow-up required”, your endpoint is told so, and a task is opened for staff. Runs that start from now on are left alone. It can be stopped on the way, and not undone.`,
    leave: t`Keep them running`,
    begin: (count: number) => plural(count, { one: 'Cancel # run', other: 'Cancel # runs' }),
    begun: t`Started. This page shows the progress.`,
    color: 'red',
  },
  resend_deliveries: {
    title: t`Send events again`,
    part: t`Event`,
    any: t`Any event`,
    options: eventOptions,
    nameOf: (name: string) => (isOutboundEvent(name) ? eventName(name) : name),
    from: t`Since`,
    count: (count: number) => plural(count, { one: '# failed event', other: '# failed events' }),
    what: t`They are sent in their order: one in the first second, twice as many in each second after it, up to 64. While your endpoint fails, one at a time.`,
    leave: t`Not now`,
    begin: (count: number) => plural(count, { one: 'Send # event again', other: 'Send # events again' }),
    begun: t`Started. This page shows the progress.`,
    color: undefined,
  },
};

type Words = (typeof wordsOf)[Kind];

function wordsFor(kind: Kind, { isReplay }: Chosen): Words {
  if (!isReplay) return wordsOf[kind];
  return {
    ...wordsOf.resend_deliveries,
    options: chosenOptions,
    count: (count: number) => plural(count, { one: '# event', other: '# events' }),
    what: t`Your endpoint gets them under the same webhook-id as before, also those it has already accepted. They are sent in order: one in the first second, twice as many in each second after it, up to 64.`,
  };
}
