import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, List, Modal, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { postDeliveriesResend, postRunsCancel } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { endpointOptions, useFurtherEndpoints } from './endpoints';
import { eventName, eventOptions, isOutboundEvent } from './event-names';
import { FilterDay } from './filters';
import { DayAndTime } from './moment';
import { useRefresh } from './refresh';
import { refusedAt } from './refusal';
import { sayDone, sayFailed } from './say';
import { Loaded } from './states';
import { isLocalDate, plusDays } from './week';
import { workflowName, workflowTypes } from './workflow-name';
import { locale } from '../language';

type Kind = Api.BulkJob['kind'];
type Counted = Api.BulkStarted;

interface Chosen {
  /** A workflow type or an event; null for all. */
  part: string | null;
  /** To which endpoint deliveries are sent again. */
  endpointId: string;
  from: string | null;
  until: string | null;
}

/**
 * Asks which records are meant, shows what a dry run says of them, and begins what was shown: what happens after the dry run is no
 * part of it.
 */
export function BulkDialog({
  kind,
  workflowType,
  endpointId = 'first',
  from,
  until,
  onClose,
}: {
  kind: Kind;
  workflowType?: string | null;
  endpointId?: string;
  from: string | null;
  until: string | null;
  onClose: () => void;
}) {
  const words = wordsOf[kind];
  const [chosen, setChosen] = useState<Chosen>({ part: workflowType ?? null, endpointId, from, until });
  const further = useFurtherEndpoints();
  const dryRun = useQuery({
    queryKey: ['dry run', kind, chosen],
    queryFn: () => ask(kind, chosen, null),
    // What it counts is what is begun: it is counted anew only when something else is chosen.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const begin = useMutation({
    mutationFn: (counted: Counted) => ask(kind, chosen, counted.until),
    onSuccess() {
      sayDone(words.begun);
      onClose();
    },
    onError: sayFailed,
    onSettled: useRefresh('bulk', 'runs', 'deliveries'),
  });
  return (
    <Modal opened onClose={onClose} title={words.title} size="lg">
      <Stack>
        <Group gap="sm" align="flex-end">
          <Select
            label={words.part}
            w={{ base: '100%', xs: 250 }}
            data={[{ value: '', label: words.any }, ...words.options]}
            value={chosen.part ?? ''}
            onChange={(part) => setChosen({ ...chosen, part: part === '' ? null : part })}
          />
          {kind === 'resend_deliveries' && further.length > 0 && (
            <Select
              label={t`Endpoint`}
              w={{ base: '100%', xs: 250 }}
              data={endpointOptions(further)}
              value={chosen.endpointId}
              allowDeselect={false}
              onChange={(id) => id && setChosen({ ...chosen, endpointId: id })}
            />
          )}
          <SimpleGrid cols={2} spacing="sm" w={{ base: '100%', xs: 'auto' }}>
            <FilterDay
              label={words.from}
              value={chosen.from ?? undefined}
              onChange={(day) => setChosen({ ...chosen, from: day })}
            />
            <FilterDay
              label={t`Until`}
              value={chosen.until ?? undefined}
              onChange={(day) => setChosen({ ...chosen, until: day })}
            />
          </SimpleGrid>
        </Group>
        <Loaded query={dryRun} rows={3}>
          {(counted) => (
            <>
              <Alert color={counted.total === 0 ? 'gray' : 'yellow'} title={words.count(counted.total)} role="status">
                <Stack gap="xs">
                  {counted.parts.length > 1 && (
                    <List size="sm">
                      {counted.parts.map(({ name, count }) => (
                        <List.Item key={name}>
                          {words.nameOf(name)}: {count.toLocaleString(locale)}
                        </List.Item>
                      ))}
                    </List>
                  )}
                  {counted.oldest && counted.newest && (
                    <Text size="sm">
                      <Trans>
                        From <DayAndTime at={counted.oldest} /> to <DayAndTime at={counted.newest} />.
                      </Trans>
                    </Text>
                  )}
                  <Text size="sm">{words.what}</Text>
                </Stack>
              </Alert>
              {refusedAt(begin.error, 'until') && <Text c="red">{refusedAt(begin.error, 'until')}</Text>}
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  {words.leave}
                </Button>
                <Button
                  color={words.color}
                  disabled={counted.total === 0}
                  loading={begin.isPending}
                  onClick={() => begin.mutate(counted)}
                >
                  {words.begin(counted.total)}
                </Button>
              </Group>
            </>
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}

/** `until` of the dry run begins it; null only counts. */
async function ask(kind: Kind, { part, endpointId, from, until }: Chosen, counted: string | null): Promise<Counted> {
  const span = {
    from: from && isLocalDate(from) ? from : undefined,
    // The field names the last day, the service what comes after it.
    until: counted ?? (until && isLocalDate(until) ? plusDays(until, 1) : undefined),
    dryRun: counted === null,
  };
  const { data } =
    kind === 'cancel_runs'
      ? await postRunsCancel({
          body: { workflowType: workflowTypes.find(({ value }) => value === part)?.value, ...span },
          throwOnError: true,
        })
      : await postDeliveriesResend({
          body: { event: isOutboundEvent(part) ? part : undefined, endpointId, ...span },
          throwOnError: true,
        });
  return data;
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
    what: t`None of them makes another call. Each ends as “Follow-up required”, your outbound URL is told so, and a task is opened for staff. Runs that start from now on are left alone. It can be stopped on the way, and not undone.`,
    leave: t`Keep them going`,
    begin: (count: number) => plural(count, { one: 'Cancel # run', other: 'Cancel # runs' }),
    begun: t`Begun. This page shows how far it is.`,
    color: 'red',
  },
  resend_deliveries: {
    title: t`Send failed events again`,
    part: t`Event`,
    any: t`Any event`,
    options: eventOptions,
    nameOf: (name: string) => (isOutboundEvent(name) ? eventName(name) : name),
    from: t`Since`,
    count: (count: number) => plural(count, { one: '# failed event', other: '# failed events' }),
    what: t`They are sent in their order: one in the first second, twice as many in each second after it, up to 64. While your endpoint fails, one at a time.`,
    leave: t`Not now`,
    begin: (count: number) => plural(count, { one: 'Send # event again', other: 'Send # events again' }),
    begun: t`Begun. This page shows how far it is.`,
    color: undefined,
  },
};
