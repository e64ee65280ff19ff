import { Textarea } from '@mantine/core';
import * as api from '#api';
import { type FilledForm, offered, PageForm, formStateOf, useActionForm, useAskBeforeLeaving } from '#forms';
import { useEdits } from '#parts';
import { t } from '#texts';

/** Writes a note into the record of a patient. */
export function AddNote({ patientId }: { patientId: string }) {
  const form = useActionForm(api.postPatientsByPatientIdNotesMutation(), {
    initialValues: { note: '' },
    labels: { note: t`New note` },
    request: (body) => ({ path: { patientId }, body }),
    done: t`The note is in the record.`,
    refresh: ['patients'],
  });
  return <NoteForm form={form} />;
}

/** Where a note is written. */
export function NoteForm({ form }: { form: FilledForm<{ note: string }> }) {
  const isDirty = form.isDirty();
  useEdits(isDirty);
  useAskBeforeLeaving(formStateOf(form));
  return (
    <PageForm
      form={form}
      action={t`Add the note`}
      size="xs"
      variant="default"
      gap="xs"
      isDisabled={!form.values.note.trim()}
    >
      <Textarea
        autosize
        minRows={1}
        maxRows={8}
        maxLength={4_000}
        {...offered('', t`New note`)}
        {...form.field('note')}
      />
    </PageForm>
  );
}
