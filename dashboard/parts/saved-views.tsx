import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import {
  deleteViewsByViewIdMutation,
  getViewsOptions,
  patchViewsByViewIdMutation,
  postViewsMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconBookmark, IconChevronDown } from '../icons';
import { useIsAdmin } from '../shell/account';
import { useRefresh } from './refresh';
import { showRefusal } from './refusal';
import { sayDone, sayFailed } from './say';
import classes from './saved-views.module.css';

type View = Api.SavedView;
type Filters = View['filters'];

/** Of what an address says, this is no filter: it opens a record beside its list. */
const notFilters = ['task'];

/** The views of a list that somebody saved, each a click; and a way to save what its filters are now. */
export function SavedViews({ list }: { list: Api.SavedList }) {
  const views = useQuery({ ...getViewsOptions({ query: { list } }), staleTime: 60_000 });
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const [isSaving, setIsSaving] = useState(false);
  const isAdmin = useIsAdmin();
  const now = Object.fromEntries([...search].filter(([name]) => !notFilters.includes(name)));
  const items = views.data?.items ?? [];
  const here = items.find(({ filters }) => isSame(filters, now));
  const canSave = Object.keys(now).length > 0 && !here;
  if (items.length === 0 && !canSave) return null;
  return (
    <Group gap="xs" px="md" pt="md" role="group" aria-label={t`Saved views`}>
      {items.map((view) => (
        <Button
          key={view.id}
          size="compact-sm"
          radius="xl"
          variant={view === here ? 'filled' : 'default'}
          aria-pressed={view === here}
          className={classes.view}
          title={view.isOwn ? view.name : t`${view.name}, shared by ${view.savedBy}`}
          onClick={() => void navigate({ search: new URLSearchParams(view === here ? {} : view.filters).toString() })}
        >
          {view.name}
        </Button>
      ))}
      {here && (here.isOwn || isAdmin) && <Change key={here.id} view={here} />}
      {canSave && (
        <Button
          size="compact-sm"
          variant="subtle"
          // In line with what is below, where it is alone.
          ml={-8}
          leftSection={<IconBookmark size={14} aria-hidden />}
          onClick={() => setIsSaving(true)}
        >
          <Trans>Save this view</Trans>
        </Button>
      )}
      <Modal opened={isSaving} onClose={() => setIsSaving(false)} title={t`Save this view`}>
        <Save list={list} filters={now} onDone={() => setIsSaving(false)} />
      </Modal>
    </Group>
  );
}

const isSame = (one: Filters, other: Filters): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);

const labels = { name: t`Name`, isShared: t`Share` };

function Save({ list, filters, onDone }: { list: Api.SavedList; filters: Filters; onDone: () => void }) {
  const refresh = useRefresh('views');
  const form = useForm({
    initialValues: { name: '', isShared: false },
    validate: { name: isNotEmpty(t`Enter a name`) },
  });
  const save = useMutation({
    ...postViewsMutation(),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate({ body: { ...values, list, filters } }))}>
      <Stack>
        <TextInput label={labels.name} maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <Checkbox
          label={t`Share it with everybody of the clinic`}
          {...form.getInputProps('isShared', { type: 'checkbox' })}
        />
        <Text size="xs" c="dimmed">
          <Trans>The filters are saved, not what is searched for. Name no patient.</Trans>
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Not now</Trans>
          </Button>
          <Button type="submit" loading={save.isPending}>
            <Trans>Save</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Only who saved a view renames or shares it; an administrator removes what others share. */
function Change({ view: { id, name, isOwn, isShared } }: { view: View }) {
  const refresh = useRefresh('views');
  const [isRenaming, setIsRenaming] = useState(false);
  const path = { viewId: id };
  const share = useMutation({
    ...patchViewsByViewIdMutation(),
    onSuccess: (changed) => sayDone(changed.isShared ? t`Everybody of the clinic sees it.` : t`It is yours alone.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const remove = useMutation({ ...deleteViewsByViewIdMutation(), onError: sayFailed, onSettled: refresh });
  return (
    <>
      <Menu position="bottom-start" width={220}>
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={t`Change the view ${name}`}
          >
            <Trans>Change</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {isOwn && (
            <Menu.Item onClick={() => setIsRenaming(true)}>
              <Trans>Rename</Trans>
            </Menu.Item>
          )}
          {isOwn && (
            <Menu.Item onClick={() => share.mutate({ path, body: { isShared: !isShared } })}>
              {isShared ? t`Keep it to yourself` : t`Share it with the clinic`}
            </Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => remove.mutate({ path })}>
            <Trans>Remove</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isRenaming} onClose={() => setIsRenaming(false)} title={t`Rename the view`}>
        <Rename viewId={id} name={name} onDone={() => setIsRenaming(false)} />
      </Modal>
    </>
  );
}

function Rename({ viewId, name, onDone }: { viewId: string; name: string; onDone: () => void }) {
  const refresh = useRefresh('views');
  const form = useForm({ initialValues: { name }, validate: { name: isNotEmpty(t`Enter a name`) } });
  const rename = useMutation({
    ...patchViewsByViewIdMutation(),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  return (
    <form noValidate onSubmit={form.onSubmit((body) => rename.mutate({ path: { viewId }, body }))}>
      <Stack>
        <TextInput label={labels.name} maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Not now</Trans>
          </Button>
          <Button type="submit" loading={rename.isPending}>
            <Trans>Rename</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
