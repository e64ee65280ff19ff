import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Call } from '../../generated/client';
import { type Cursors, olderThan, type PageOf } from '../cursor';
import type { ErasedKeys } from '../patients/erased-keys';
import { underWay } from './calls-under-way';
import { left, lookLater, markFound, markNotFound, withdrawUnrequested } from './left-calls';
import { defaultTestCall, live, liveOf } from './live-calls';
import { beginRequest, close, placed, toPlace } from './placed-calls';
import { report, reviewCall } from './reported-calls';
import { reserve, turnsOf } from './reserved-calls';
import { closeTestCall, expireTestCalls, openTestCall, openTrialCall } from './test-calls';

export type CallRecord = Call;

/** Calls from the intent to their end: reserved, placed, reported, left; and what live tools and tests know of them. */
export const createCallStores = (database: Database, cursors: Cursors, erasedKeys: ErasedKeys) =>
  bound(
    { ...database, cursors, erasedKeys, inTurn: turnsOf(database) },
    {
      reserve,
      toPlace,
      beginRequest,
      placed,
      left,
      lookLater,
      withdrawUnrequested,
      markNotFound,
      markFound,
      close,
      find,
      list,
      underWay,
      live,
      liveOf,
      defaultTestCall,
      report,
      review: reviewCall,
      expireTestCalls,
      closeTestCall,
      openTestCall,
      openTrialCall,
    },
  );

const find = ({ prisma }: Database, clinicId: string, callId: string): Promise<CallRecord | null> =>
  prisma.call.findFirst({ where: { clinicId, id: callId } });

async function list(
  { prisma, cursors }: Database & { cursors: Cursors },
  clinicId: string,
  {
    state,
    caseId,
    patientId,
    limit,
    cursor,
  }: { state?: CallState; caseId?: string; patientId?: string; limit: number; cursor?: string },
): Promise<PageOf<CallRecord>> {
  const rows = await prisma.call.findMany({
    where: { clinicId, state, caseId, patientId, ...olderThan('createdAt', cursors.decode(cursor, clinicId)) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}
