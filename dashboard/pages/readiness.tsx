import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Group, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { getValidationRunsInfiniteOptions, postValidationRunsMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { DayAndTime } from '../parts/moment';
import { Page } from '../parts/page';
import { type Column, RecordList } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { sentenceOf } from '../http/service';
import { Panel, Section } from '../parts/section';

/** Runs in which a client of the sandbox EMR is watched, newest first. */
export function Readiness() {
  const found = useInfiniteQuery({ ...getValidationRunsInfiniteOptions({ query: { limit: 50 } }), ...byCursor });
  return (
    <Page
      title={t`Readiness`}
      lead={t`While a run is under way, the service watches what your client does at the sandbox EMR, and says what it does well, what not, and what was not seen yet.`}
    >
      <StartRun />
      <Panel>
        <RecordList
          label={t`Validation runs`}
          pages={found}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/readiness/${id}`}
          empty={{ title: t`No run yet`, text: t`Start one, then let your client work with the sandbox.` }}
        />
      </Panel>
    </Page>
  );
}

function StartRun() {
  const [label, setLabel] = useState('');
  const navigate = useNavigate();
  const refresh = useRefresh('validation');
  const start = useMutation({
    ...postValidationRunsMutation(),
    onSuccess: ({ id }) => void navigate(`/readiness/${id}`),
    onSettled: refresh,
  });
  // The sentence of the service names the run that is under way.
  const underWay = /^The validation run (\S+) is under way/.exec(start.error ? sentenceOf(start.error) : '')?.[1];
  const problem = start.error && (
    <>
      {sentenceOf(start.error)}
      {underWay && (
        <>
          {' '}
          <Anchor href={`/readiness/${underWay}`} size="sm" underline="always">
            <Trans>Show it</Trans>
          </Anchor>
        </>
      )}
    </>
  );
  return (
    <Section title={t`New run`} lead={t`It ends after two hours, or when you end it. What it found stays.`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate({ body: label.trim() === '' ? {} : { label: label.trim() } });
        }}
      >
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t`What is tried`}
            description={t`For the report, as a version or a branch; may be left out`}
            value={label}
            maxLength={100}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            error={problem || undefined}
            flex={1}
            miw={240}
          />
          <Button type="submit" loading={start.isPending} mt={{ base: 0, xs: 45 }}>
            <Trans>Start watching</Trans>
          </Button>
        </Group>
      </form>
    </Section>
  );
}

const columns: Column<Api.ValidationRunSummary>[] = [
  { head: t`Run`, cell: ({ label, startedAt }) => label ?? <DayAndTime at={startedAt} />, isLong: true },
  { head: t`Started`, cell: ({ startedAt }) => <DayAndTime at={startedAt} /> },
  {
    head: t`State`,
    cell: ({ state }) => (
      <Badge color={state === 'running' ? 'pine' : 'gray'}>{state === 'running' ? t`Running` : t`Ended`}</Badge>
    ),
  },
  { head: t`Passed`, cell: ({ score }) => (score ? t`${score.passed} of ${score.of}` : '–') },
  { head: t`Failed`, cell: ({ score }) => score?.failed ?? '–' },
  { head: t`Requests`, cell: ({ exchanges }) => exchanges, isWideOnly: true },
];
