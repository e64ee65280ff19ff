import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import * as api from '#api';
import { useAction } from '#forms';
import { IconBookmark } from '#icons';
import { ChangeMenu, onDemand, useIsAdmin } from '#parts';
import { t } from '#texts';
import type { Filters } from './filters';
import classes from './saved-views.module.css';
type Filters = api.SavedView['filters'];

const SaveView = onDemand(async () => (await import('./view-dialogs')).SaveView);
const RenameView = onDemand(async () => (await import('./view-dialogs')).RenameView);

/** Of what an address says, this is no filter: it opens a record beside its list. */
const notFilters = ['task'];

/** The views of a list that somebody saved, each a click; and a way to save what its filters are now. */
export function SavedViews({ list }: { list: api.SavedList }) {
  const views = useQuery({ ...api.getViewsOptions({ query: { list } }), staleTime: 60_000 });
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
          className={classes.chip}
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
          {t`Save this view`}
        </Button>
      )}
      <Suspense fallback={null}>
        {isSaving && <SaveView list={list} filters={now} onDone={() => setIsSaving(false)} />}
      </Suspense>
    </Group>
  );
}

const isSame = (one: Filters, other: Filters): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);

/** Only who saved a view renames or shares it; an administrator removes what others share. */
function Change({ view: { id, name, isOwn, isShared } }: { view: api.SavedView }) {
  const [isRenaming, setIsRenaming] = useState(false);
  const path = { viewId: id };
  const share = useAction(api.patchViewsByViewIdMutation(), {
    done: (changed) => (changed.isShared ? t`Everyone at the clinic sees it.` : t`Only you see it.`),
    refresh: ['views'],
  });
  const remove = useAction(api.deleteViewsByViewIdMutation(), { refresh: ['views'] });
  return (
    <>
      <ChangeMenu
        name={t`Change the view ${name}`}
        position="bottom-start"
        width={220}
        size="compact-sm"
        variant="subtle"
        color="gray"
        items={[
          isOwn && { label: t`Rename`, onClick: () => setIsRenaming(true) },
          isOwn && {
            label: isShared ? t`Make it private` : t`Share it with the clinic`,
            onClick: () => share.mutate({ path, body: { isShared: !isShared } }),
          },
          { label: t`Remove`, onClick: () => remove.mutate({ path }), color: 'red' },
        ]}
      />
      <Suspense fallback={null}>
        {isRenaming && <RenameView viewId={id} name={name} onDone={() => setIsRenaming(false)} />}
      </Suspense>
    </>
  );
}
