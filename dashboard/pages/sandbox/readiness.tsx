import { Anchor, Badge, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { useAction } from '#forms';
import { sentenceOf, statusOf } from '#http';
import { type Column, ListPage } from '#lists';
import { Section } from '#parts';
import { t } from '#texts';
import { DayAndTime } from '#words';

/** Runs in which a client of the sandbox EMR is watched, newest first. */
export const Readiness = () => (
  <ListPage
    title={t`Readiness`}
    lead={t`While a run is under way, the service watches what your client does at the sandbox EMR, and says what it does well, what not, and what was not seen yet.`}
    area="validation"
    read={api.getValidationRuns}
    query={{}}
    isCounted={false}
    label={t`Validation runs`}
    before={({ rows }) => <StartRun running={rows?.find(({ state }) => state === 'running')} />}
    columns={columns}
    keyOf={({ id }) => id}
    to={({ id }) => `/readiness/${id}`}
    empty={{ title: t`No run yet`, text: t`Start one, then let your client work with the sandbox.` }}
  />
);

function StartRun({ running }: { running: api.ValidationRunSummary | undefined }) {
  const [label, setLabel] = useState('');
  const navigate = useNavigate();
  const start = useAction(api.postValidationRunsMutation(), {
    onDone: ({ id }) => void navigate(`/readiness/${id}`),
    refresh: ['validation'],
    onRefused: null,
  });
  const problem = start.error && (
    <>
      {sentenceOf(start.error)}
      {statusOf(start.error) === 409 && running && (
        <>
          {' '}
          <Anchor href={`/readiness/${running.id}`} size="sm" underline="always">
            {t`Show it`}
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
            label={t`What you are testing`}
            description={t`For the report, as a version or a branch; may be left out`}
            value={label}
            maxLength={100}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            error={problem || undefined}
            flex={1}
            miw={240}
          />
          <Button type="submit" loading={start.isPending} mt={{ base: 0, xs: 45 }}>
            {t`Start watching`}
          </Button>
        </Group>
      </form>
    </Section>
  );
}

const columns: Column<api.ValidationRunSummary>[] = [
  { head: t`Run`, cell: ({ label, startedAt }) => label ?? <DayAndTime at={startedAt} />, isLong: true },
  { head: t`Started`, cell: ({ startedAt }) => <DayAndTime at={startedAt} /> },
  {
    head: t`Status`,
    cell: ({ state }) => (
      <Badge color={state === 'running' ? 'pine' : 'gray'}>{state === 'running' ? t`Running` : t`Ended`}</Badge>
    ),
  },
  { head: t`Passed`, cell: ({ score }) => (score ? t`${score.passed} of ${score.of}` : '–') },
  { head: t`Failed`, cell: ({ score }) => score?.failed ?? '–' },
  { head: t`Requests`, cell: ({ exchanges }) => exchanges, isWideOnly: true },
];
