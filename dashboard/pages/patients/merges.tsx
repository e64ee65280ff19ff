import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import * as api from '#api';
import { Dialog, ServiceButton } from '#forms';
import { onDemand, useMay } from '#parts';
import { plural, t } from '#texts';
import { Moment, PageLink, TextLink } from '#words';
import { Duplicates } from './duplicates';
import { undoing } from './record-counts';

type Patient = api.PatientRecord;

const Comparison = onDemand(async () => (await import('./merge-patients')).Comparison);

/** Who on file may be the same person as a patient, and what makes one record of two. */
export function PossibleDuplicates({ patient }: { patient: Patient }) {
  const { id: patientId } = patient;
  const mayMerge = useMay()('patients');
  const [otherId, setOtherId] = useState<string | null>(null);
  const found = useQuery({
    ...api.getPatientsByPatientIdDuplicatesOptions({ path: { patientId } }),
    enabled: mayMerge && patient.replacedBy === null,
  });
  const items = found.data?.items ?? [];
  const close = () => setOtherId(null);
  return (
    <>
      <Duplicates
        items={items}
        title={plural(items.length, { one: 'Possible duplicate', other: 'Possible duplicates (#)' })}
        choose={t`Compare`}
        onChoose={({ id }) => setOtherId(id)}
      />
      <Suspense fallback={null}>
        <Dialog opened={otherId !== null} onClose={close} title={t`Is this the same person?`} size="lg">
          {otherId !== null && <Comparison patient={patient} otherId={otherId} onClose={close} />}
        </Dialog>
      </Suspense>
    </>
  );
}

/** What a person sees first on a record that has become one with another. */
export function Merged({ patient: { replacedBy, merges } }: { patient: Patient }) {
  const mayUndo = useMay()('patients');
  if (replacedBy !== null) {
    return (
      <Alert color="yellow" title={t`This record was merged into another one`}>
        <PageLink to={`/patients/${replacedBy}`}>{t`Open the record that is kept`}</PageLink>
      </Alert>
    );
  }
  const undoable = merges.filter(({ undoUntil }) => Date.parse(undoUntil) > Date.now());
  return undoable.map((merge) => (
    <Alert key={merge.id} color="blue" title={t`Another record was merged into this one`}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {merge.mergedByName ?? merge.mergedBy}, <Moment at={merge.mergedAt} near={false} />.{' '}
          <TextLink to={`/patients/${merge.replacedId}`}>{t`See the other record`}</TextLink>
        </Text>
        {mayUndo && (
          <ServiceButton
            size="xs"
            does={api.postPatientMergesByMergeIdUndoMutation()}
            request={{ path: { mergeId: merge.id } }}
            label={t`Undo the merge`}
            ask={{
              title: t`Make two records of it again?`,
              what: t`What was moved goes back to the other record. What was recorded since stays on this one. “Do not call” stays on both.`,
            }}
            {...undoing}
          />
        )}
      </Group>
    </Alert>
  ));
}
