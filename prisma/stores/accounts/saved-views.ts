import { newId } from '@clinic/shared/crypto';
import { MAX_VIEWS, type SavedList } from '@clinic/shared/domain/accounts/saved-view';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';

export interface SavedViewRecord {
  id: string;
  list: SavedList;
  name: string;
  filters: Record<string, string>;
  isShared: boolean;
  accountId: string;
  /** The name of that account. */
  savedBy: string;
}

export type ViewFields = Pick<SavedViewRecord, 'name' | 'filters' | 'isShared'>;

/** Whose views, or who asks for them: an account of a clinic. */
export interface Viewer {
  clinicId: string;
  accountId: string;
}

export type ViewSaved = { kind: 'saved'; view: SavedViewRecord } | { kind: 'name_taken' } | { kind: 'too_many' };

/** Two changes of an account at once are made one after the other: views are counted, and names compared. */
const lockOwner = (tx: Sql, { clinicId, accountId }: Viewer) =>
  tx`select id from users where clinic_id = ${clinicId} and id = ${accountId} for no key update`;

/** Filters of lists that people keep under a name. The audit says that one was saved, and not its name, which may be anybody's. */
export const createSavedViewStores = (database: Database) =>
  bound(contextOf(database), { list: listViews, save, change, remove });

function contextOf({ sql, transaction }: Database) {
  const find = async ({ clinicId, accountId }: Viewer, { id, list }: { id?: string; list?: SavedList }) =>
    sql<SavedViewRecord>`
      select v.id, v.list, v.name, v.filters, v.is_shared as "isShared", v.user_id as "accountId", u.name as "savedBy"
      from saved_views v join users u on u.id = v.user_id
      where v.clinic_id = ${clinicId} and (v.user_id = ${accountId} or v.is_shared)
        and (v.id = ${id ?? null} or ${id ?? null}::text is null)
        and (v.list = ${list ?? null} or ${list ?? null}::text is null)
      order by lower(v.name), v.id`;
  const saved = async (viewer: Viewer, id: string): Promise<ViewSaved & { kind: 'saved' }> => {
    const [view] = await find(viewer, { id });
    if (!view) throw new Error('a view was removed while it was saved');
    return { kind: 'saved', view };
  };
  return { transaction, find, saved };
}

type Context = ReturnType<typeof contextOf>;

/** One's own and those that are shared in the clinic, by name. */
const listViews = ({ find }: Context, viewer: Viewer, of: { list?: SavedList }): Promise<SavedViewRecord[]> =>
  find(viewer, of);

/** The same again under its `id` changes nothing. */
async function save(
  { transaction, saved }: Context,
  viewer: Viewer,
  { id = newId(), list, name, filters, isShared }: ViewFields & { id?: string; list: SavedList },
  by: Actor,
): Promise<ViewSaved> {
  const { clinicId, accountId } = viewer;
  const kind = await transaction(async (tx) => {
    const [owner] = await lockOwner(tx, viewer);
    const [known] = await tx`
      select id from saved_views where clinic_id = ${clinicId} and user_id = ${accountId} and id = ${id}`;
    if (known) return 'saved';
    const [counted] = await tx<{ count: number }>`
      select count(*)::int as count from saved_views where user_id = ${accountId}`;
    if (!owner || (counted?.count ?? 0) >= MAX_VIEWS) return 'too_many';
    const [made] = await tx`
      insert into saved_views (id, clinic_id, user_id, list, name, filters, is_shared)
      values (${id}, ${clinicId}, ${accountId}, ${list}, ${name}, ${JSON.stringify(filters)}::jsonb, ${isShared})
      on conflict do nothing returning id`;
    if (!made) return 'name_taken';
    await audit(tx, by, { clinicId, action: 'view.save', subject: id, detail: { list, isShared } });
    return 'saved';
  });
  return kind === 'saved' ? saved(viewer, id) : { kind };
}

/** Null for what the account does not see; `not_own` for what somebody else has saved. */
async function change(
  { find, transaction, saved }: Context,
  viewer: Viewer,
  id: string,
  { name, filters, isShared }: Partial<ViewFields>,
  by: Actor,
): Promise<Exclude<ViewSaved, { kind: 'too_many' }> | { kind: 'not_own' } | null> {
  const [view] = await find(viewer, { id });
  if (!view) return null;
  const { clinicId, accountId } = viewer;
  if (view.accountId !== accountId) return { kind: 'not_own' };
  const isChanged = await transaction(async (tx) => {
    await lockOwner(tx, viewer);
    const [changed] = await tx`
      update saved_views v set name = coalesce(${name ?? null}, v.name),
        filters = coalesce(${filters ? JSON.stringify(filters) : null}::jsonb, v.filters),
        is_shared = coalesce(${isShared ?? null}, v.is_shared)
      where v.clinic_id = ${clinicId} and v.user_id = ${accountId} and v.id = ${id} and not exists (
        select from saved_views o where o.user_id = v.user_id and o.list = v.list and o.name = ${name ?? null} and o.id <> v.id)
      returning v.id`;
    if (changed) await audit(tx, by, { clinicId, action: 'view.change', subject: id, detail: { isShared } });
    return changed !== undefined;
  });
  return isChanged ? saved(viewer, id) : { kind: 'name_taken' };
}

/** With `isAdmin` also what somebody else shares. */
async function remove(
  { find, transaction }: Context,
  viewer: Viewer,
  id: string,
  { isAdmin, ...by }: Actor & { isAdmin: boolean },
): Promise<'removed' | 'not_own' | null> {
  const [view] = await find(viewer, { id });
  if (!view) return null;
  const { clinicId, accountId } = viewer;
  if (view.accountId !== accountId && !isAdmin) return 'not_own';
  await transaction(async (tx) => {
    const [removed] = await tx`delete from saved_views where clinic_id = ${clinicId} and id = ${id} returning id`;
    if (removed) await audit(tx, by, { clinicId, action: 'view.remove', subject: id });
  });
  return 'removed';
}
