import { ListViews, NewView, SavedView, SavedViews, ViewChange } from '@clinic/shared/contracts/accounts/saved-views';
import { roleHas } from '@clinic/shared/domain/accounts/rights';
import { MAX_VIEWS, rightOfList } from '@clinic/shared/domain/accounts/saved-view';
import { AppError } from '@clinic/shared/errors';
import type { SavedViewRecord } from '@clinic/prisma/stores/accounts/saved-views';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Saved views', access: 'clinic', right: 'dashboard', patientData: 'none' });

const unknown = { description: 'No such view, or it is somebody else’s and not shared' };
const sameName = { description: 'The account has a view of this name for this list' };

/** Filters of lists under a name: an account's own, and what others of the clinic share. */
export const savedViewRoutes = [
  routes.get('/views', {
    summary: 'The views that one saved, and those that others of the clinic share',
    description: 'Of the list that `list` names, or of all. `isOwn` says which ones the caller may change.',
    query: ListViews,
    responses: { 200: { description: 'The views, by name', schema: SavedViews } },
    async handle({ caller: { clinicId, accountId, role }, query }, { stores }) {
      const views = await stores.savedViews.list({ clinicId, accountId }, query);
      const shown = views.filter(({ list }) => roleHas(role, rightOfList[list]));
      return { body: { items: shown.map((view) => toView(view, accountId)) } };
    },
  }),
  routes.post('/views', {
    summary: 'Save the filters of a list under a name',
    description: '`filters` are those of the list’s query. A second view of the same name for the same list is 409.',
    body: NewView,
    isIdempotent: true,
    responses: {
      200: { description: 'The view', schema: SavedView },
      409: { description: `${sameName.description}, or ${MAX_VIEWS} views already` },
    },
    async handle({ caller: { clinicId, accountId }, body, idOfNew: id, by }, { stores }) {
      const saved = await stores.savedViews.save({ clinicId, accountId }, { ...body, id }, by);
      if (saved.kind === 'name_taken') throw taken();
      if (saved.kind === 'too_many') {
        throw new AppError('conflict', `You have ${MAX_VIEWS} saved views, which is all that an account keeps`);
      }
      return { body: toView(saved.view, accountId) };
    },
  }),
  routes.patch('/views/:viewId', {
    summary: 'Rename a view that one saved, share it or not, or give it other filters',
    description: 'Fields that are left out stay. Another person’s shared view is 403, one that is not shared 404.',
    body: ViewChange,
    responses: { 200: { description: 'The view', schema: SavedView }, 404: unknown, 409: sameName },
    async handle({ caller: { clinicId, accountId }, params: { viewId }, body, by }, { stores }) {
      const changed = await stores.savedViews.change({ clinicId, accountId }, viewId, body, by);
      if (!changed) throw missing(viewId);
      if (changed.kind === 'not_own') throw notOwn();
      if (changed.kind === 'name_taken') throw taken();
      return { body: toView(changed.view, accountId) };
    },
  }),
  routes.delete('/views/:viewId', {
    summary: 'Remove a view that one saved; an administrator also what others share',
    description: 'It is gone for everybody whom it was shared with. Lists themselves do not change.',
    responses: { 204: { description: 'Removed' }, 404: unknown },
    async handle({ caller: { clinicId, accountId, role }, params: { viewId }, by }, { stores }) {
      const removed = await stores.savedViews.remove({ clinicId, accountId }, viewId, {
        ...by,
        isAdmin: role === 'admin',
      });
      if (removed === null) throw missing(viewId);
      if (removed === 'not_own') throw notOwn();
      return { status: 204 };
    },
  }),
];

const missing = (viewId: string) => new AppError('not_found', `View ${viewId} not found`);

const taken = () => {
  const message = 'is the name of another view that you saved for this list';
  return new AppError('conflict', `name ${message}`, [{ path: 'name', message }]);
};

const notOwn = () => new AppError('forbidden', 'Only who saved a view may change it');

const toView = ({ accountId, ...view }: SavedViewRecord, viewerId: string): SavedView => ({
  ...view,
  isOwn: accountId === viewerId,
});
