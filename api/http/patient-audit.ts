import { sha256Hex } from '@clinic/shared/crypto';
import { Remembered } from '@clinic/shared/remembered';
import type { Stores } from '@clinic/prisma/stores';
import type { Request } from 'express';
import { actorOf, type Caller, type PatientData, type Reply } from './route';

/**
 * What a session has been shown is not noted again within this time where the same request shows it the same patients: the
 * dashboard reads again in the background whenever something changes.
 */
const SHOWN_AGAIN_MS = 5 * 60_000;
/** Each waits for a connection for some seconds. */
const TRIES = 3;

export interface ServedRequest {
  route: { method: string; path: string; patientData?: PatientData };
  caller: Caller;
  request: Request;
  query: unknown;
}

/** Notes in the audit what a route shows of patients, or changes; resolves once that is stored. A refusal shows nothing. */
export type NotePatientData = (served: ServedRequest, reply: Reply) => Promise<void>;

export function createPatientAudit({ stores }: { stores: Pick<Stores, 'audit'> }): NotePatientData {
  const shown = new Remembered<void>(SHOWN_AGAIN_MS);
  return async ({ route, caller, request, query }, { status = 200, subjects: named = [], detail, isRepeated }) => {
    const { patientData = 'none' } = route;
    if (patientData === 'none' || status >= 400) return;
    if ((caller.kind !== 'session' && caller.kind !== 'api-key') || caller.clinicId === null) {
      throw new Error(`${route.path} shows patients to a caller without a clinic`);
    }
    const { clinicId } = caller;
    const isRead = !patientData.isChange || isRepeated === true;
    const subjects = [...new Set(named.filter((id) => id !== null))];
    const write = () =>
      stores.audit.writeRequest({
        ...actorOf(caller, request.id),
        clinicId,
        action: isSearch(query) ? patientData.action.replace(/\.list$/, '.search') : patientData.action,
        isRead,
        route: `${route.method.toUpperCase()} ${route.path}`,
        subjects,
        detail,
      });
    if (!isRead) return persistently(write);
    if (caller.kind !== 'session') return write();
    const again = sha256Hex(JSON.stringify([caller.sessionId, request.method, request.originalUrl, subjects]));
    return shown.get(again, write);
  };
}

/** A change is committed by now: anyone who made it must not be told that it failed because its note found no connection at once. */
async function persistently(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

const isSearch = (query: unknown): boolean => typeof (query as { search?: unknown } | undefined)?.search === 'string';
