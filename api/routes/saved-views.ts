import { ListViews, NewView, SavedView, SavedViews, ViewChange } from '@clinic/shared/contracts/saved-views';
import { MAX_VIEWS } from '@clinic/shared/domain/saved-view';
import { AppError } from '@clinic/shared/errors';
import type { SavedViewRecord } from '@clinic/prisma/stores/saved-views';
import { z } from 'zod';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Saved views';
const ViewPath = z.object({ viewId: z.string() });
const unknown = { description: 'No such view, or it is somebody else’s and not shared' };
const sameName = { description: 'The account has a view of this name for this list' };

/** Filters of lists under a name: an account's own, and what others of the clinic share. */
export function savedViewRoutes({ stores }: RouteDeps): Route[] {
  const missing = (viewId: string) => new AppError('not_found', `View ${viewId} not found`);
  const taken = () => {
    const message = 'is the name of another view that you saved for this list';
    return new AppError('conflict', `name ${message}`, [{ path: 'name', message }]);
  };
  const notOwn = () => new AppError('forbidden', 'Only who saved a view may change it');

  return [
    route({
      method: 'get',
      path: '/views',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The views that one saved, and those that others of the clinic share',
      query: ListViews,
      responses: { 200: { description: 'The views, by name', schema: SavedViews } },
      async handle({ caller: { clinicId, accountId }, query }) {
        const views = await stores.savedViews.list({ clinicId, accountId }, query);
        return { body: { items: views.map((view) => toView(view, accountId)) } };
      },
    }),
    route({
      method: 'post',
      path: '/views',
      access: 'clinic',
      tag,
      summary: 'Save the filters of a list under a name',
      body: NewView,
      isIdempotent: true,
      responses: {
        200: { description: 'The view', schema: SavedView },
        409: { description: `${sameName.description}, or ${MAX_VIEWS} views already` },
      },
      async handle({ caller, body, requestId }) {
        const { clinicId, accountId } = caller;
        const saved = await stores.savedViews.save({ clinicId, accountId }, body, actorOf(caller, requestId));
        if (saved.kind === 'name_taken') throw taken();
        if (saved.kind === 'too_many') {
          throw new AppError('conflict', `You have ${MAX_VIEWS} saved views, which is all that an account keeps`);
        }
        return { body: toView(saved.view, accountId) };
      },
    }),
    route({
      method: 'patch',
      path: '/views/:viewId',
      access: 'clinic',
      tag,
      summary: 'Rename a view that one saved, share it or not, or give it other filters',
      params: ViewPath,
      body: ViewChange,
      responses: { 200: { description: 'The view', schema: SavedView }, 404: unknown, 409: sameName },
      async handle({ caller, params: { viewId }, body, requestId }) {
        const { clinicId, accountId } = caller;
        const by = actorOf(caller, requestId);
        const changed = await stores.savedViews.change({ clinicId, accountId }, viewId, body, by);
        if (!changed) throw missing(viewId);
        if (changed.kind === 'not_own') throw notOwn();
        if (changed.kind === 'name_taken') throw taken();
        return { body: toView(changed.view, accountId) };
      },
    }),
    route({
      method: 'delete',
      path: '/views/:viewId',
      access: 'clinic',
      tag,
      summary: 'Remove a view that one saved; an administrator also what others share',
      params: ViewPath,
      responses: { 204: { description: 'Removed' }, 404: unknown },
      async handle({ caller, params: { viewId }, requestId }) {
        const { clinicId, accountId, role } = caller;
        const by = { ...actorOf(caller, requestId), isAdmin: role === 'admin' };
        const removed = await stores.savedViews.remove({ clinicId, accountId }, viewId, by);
        if (removed === null) throw missing(viewId);
        if (removed === 'not_own') throw notOwn();
        return { status: 204 };
      },
    }),
  ];
}

const toView = ({ accountId, ...view }: SavedViewRecord, viewerId: string): SavedView => ({
  ...view,
  isOwn: accountId === viewerId,
});
