import { Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import * as api from '#api';
import { CopyLine, Facts, Loaded, Page, Section } from '#parts';
import { t } from '#texts';
import { DayAndTime, Quiet } from '#words';
import { reasons } from './erase-patient';

const LOOK_AGAIN_MS = 1_000;

/** How far an erasure is, and what proves it. */
export function Erasure() {
  const { erasureId = '' } = useParams();
  const erasure = useQuery({
    ...api.getErasuresByErasureIdOptions({ path: { erasureId } }),
    refetchInterval: ({ state }) => (state.data?.state === 'DONE' ? false : LOOK_AGAIN_MS),
  });
  return (
    <Page
      title={erasure.data?.state === 'DONE' ? t`The patient is erased` : t`The patient is being erased`}
      back={{ to: '/patients', label: t`Patients` }}
    >
      <Loaded query={erasure} rows={4}>
        {(found) => (
          <Section title={t`Proof`}>
            <Stack>
              <Group wrap="nowrap" role="status">
                {found.state !== 'DONE' && <Loader size="sm" />}
                <Text size="sm">{progress[found.state]}</Text>
              </Group>
              <Facts
                facts={[
                  [t`Erasure`, <CopyLine key="id" value={found.id} what={t`the id of the erasure`} />, 'long'],
                  [t`Asked for`, <DayAndTime key="asked" at={found.requestedAt} />],
                  [t`Asked for by`, found.requestedByName ?? found.requestedBy],
                  [t`Reason`, reasons[found.reason]],
                  [t`Done`, found.doneAt && <DayAndTime at={found.doneAt} />],
                ]}
              />
              <Quiet>
                {t`Keep the id: this page stays, by ids and counts alone, and so does GET /api/erasures/… with it. The audit has who asked for it.`}
              </Quiet>
            </Stack>
          </Section>
        )}
      </Loaded>
    </Page>
  );
}

const progress: Record<api.Erasure['state'], string> = {
  REQUESTED: t`What is open is ended first. You may leave this page: it goes on by itself.`,
  ERASED: t`The records are gone; the workflow engine deletes its part.`,
  DONE: t`Nothing is left that says who it was.`,
};
