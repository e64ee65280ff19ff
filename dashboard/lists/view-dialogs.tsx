import { Checkbox, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import * as api from '#api';
import { FormDialog, useActionForm } from '#forms';
import { t } from '#texts';
import { Small } from '#words';

type Filters = api.SavedView['filters'];

const labels = { name: t`Name`, isShared: t`Share it with everyone at the clinic` };

export function SaveView({ list, filters, onDone }: { list: api.SavedList; filters: Filters; onDone: () => void }) {
  const form = useActionForm(api.postViewsMutation(), {
    initialValues: { name: '', isShared: false },
    validate: { name: isNotEmpty(t`Enter a name`) },
    labels,
    request: (values) => ({ body: { ...values, list, filters } }),
    onDone,
    refresh: ['views'],
  });
  return (
    <FormDialog title={t`Save this view`} onClose={onDone} form={form} action={t`Save`}>
      <TextInput maxLength={60} data-autofocus {...form.field('name')} />
      <Checkbox {...form.box('isShared')} />
      <Small>{t`The filters are saved, not what is searched for. Name no patient.`}</Small>
    </FormDialog>
  );
}

export function RenameView({ viewId, name, onDone }: { viewId: string; name: string; onDone: () => void }) {
  const form = useActionForm(api.patchViewsByViewIdMutation(), {
    initialValues: { name },
    validate: { name: isNotEmpty(t`Enter a name`) },
    labels,
    request: (body) => ({ path: { viewId }, body }),
    keepsValues: true,
    onAllSent: onDone,
    refresh: ['views'],
  });
  return (
    <FormDialog title={t`Rename the view`} onClose={onDone} form={form} action={t`Rename`}>
      <TextInput maxLength={60} data-autofocus {...form.field('name')} />
    </FormDialog>
  );
}
