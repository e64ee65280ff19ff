import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { postPatientsByPatientIdNotesMutation } from '../http/client/@tanstack/react-query.gen';
import { useRefresh } from './refresh';
import { showRefusal } from './refusal';
import { sayDone } from './say';

/** Writes a note into the record of a patient. */
export function AddNote({ patientId }: { patientId: string }) {
  const refresh = useRefresh('patients');
  const form = useForm({ initialValues: { note: '' } });
  const add = useMutation({
    ...postPatientsByPatientIdNotesMutation(),
    onSuccess() {
      form.reset();
      sayDone(t`The note is in the record.`);
    },
    onError: (error) => showRefusal(form, error, { note: t`Note` }),
    onSettled: refresh,
  });
  return (
    <form noValidate onSubmit={form.onSubmit((body) => add.mutate({ path: { patientId }, body }))}>
      <Stack gap="xs">
        <Textarea
          label={t`New note`}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4_000}
          {...form.getInputProps('note')}
        />
        <Group>
          <Button type="submit" size="xs" variant="default" loading={add.isPending} disabled={!form.values.note.trim()}>
            <Trans>Add the note</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
