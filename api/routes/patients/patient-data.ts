import { FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import {
  ErasurePreviewView,
  ErasureView,
  ExportQuery,
  LegalHoldState,
  type LegalHoldView,
  ListErasures,
  NewErasure,
  NewLegalHold,
  PatientBundle,
  PatientExportView,
} from '@clinic/shared/contracts/patients/patient-data';
import { patientBundle } from '@clinic/shared/domain/patients/patient-bundle';
import { AppError, invalid } from '@clinic/shared/errors';
import type { ErasureRecord } from '@clinic/prisma/stores/patients/erased-rows';
import type { LegalHoldRecord } from '@clinic/prisma/stores/patients/legal-holds';
import { z } from 'zod';
import { ofPatientPath } from '../../http/route';
import { staffNames } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Patients', access: 'clinic', right: 'privacy' });

const unknown = { description: 'No such patient of this clinic' };

/** A patient's data leaves: exported, erased, or kept from being erased. */
export const patientDataRoutes = [
  routes.get('/patients/:patientId/export', {
    stepUp: 'records',
    right: 'exports',
    summary: 'Everything that is stored about a patient',
    patientData: { action: 'patient.read', asksFor: ofPatientPath },
    description: 'The audit has who exported whom, and when. A Bundle holds what FHIR has a resource for.',
    query: ExportQuery,
    responses: {
      200: {
        description: 'The records',
        schema: z.union([PatientExportView, PatientBundle]),
        also: { [FHIR_JSON]: { schema: PatientBundle } },
      },
      404: unknown,
    },
    async handle({ caller: { clinicId }, params: { patientId }, query: { format }, by }, { stores, config }) {
      const found = await stores.patientExports.of(clinicId, patientId, by);
      if (!found) throw notFound(patientId);
      const isFhir = format === 'fhir';
      return {
        body: isFhir ? patientBundle(found, `${config.PUBLIC_URL}/api`) : found,
        ...(isFhir && { type: `${FHIR_JSON}; charset=utf-8` }),
        headers: { 'content-disposition': `attachment; filename="patient-${patientId}.json"` },
      };
    },
  }),
  routes.get('/patients/:patientId/erasure', {
    summary: 'What erasing a patient would do now',
    description: 'Changes nothing. With `isHeld` an erasure would be refused.',
    patientData: { action: 'erasure.read', asksFor: ofPatientPath },
    responses: { 200: { description: 'What goes', schema: ErasurePreviewView }, 404: unknown },
    async handle({ caller: { clinicId }, params: { patientId } }, { stores }) {
      const preview = await stores.erasures.preview(clinicId, patientId);
      if (!preview) throw notFound(patientId);
      const { goes, openRuns, openCalls, isHeld } = preview;
      return { body: { isHeld, openCalls, openWorkflows: openRuns, goes: toCounts(goes) } };
    },
  }),
  routes.post('/patients/:patientId/erasure', {
    stepUp: 'records',
    summary: 'Erase a patient: nobody is called from now on, and within seconds nothing is left that says who it was',
    description:
      'Open workflows are cancelled and calls that go on are waited for, ten minutes at most for what your systems are ' +
      'still to be told. What was erased cannot be brought back.',
    body: NewErasure,
    responses: {
      202: { description: 'It is under way; one that was requested before goes on', schema: ErasureView },
      404: unknown,
      409: { description: 'A legal hold refuses it, or the patient was merged into another: erase that one' },
    },
    async handle({ caller: { clinicId }, params: { patientId }, body: { reason, confirm }, by }, { stores, temporal }) {
      if (confirm !== patientId) {
        throw invalid('confirm', 'must be the id of the patient');
      }
      const requested = await stores.erasures.request({ clinicId, patientId, reason }, by);
      if (requested.kind === 'unknown') throw notFound(patientId);
      if (requested.kind === 'held') throw held(patientId);
      const { erasure } = requested;
      temporal.begin({ kind: 'erase_patient', clinicId, id: erasure.id });
      return { status: 202, body: toErasure(erasure, await staffNames(stores, clinicId)) };
    },
  }),
  routes.list('/erasures', {
    summary: 'Erasures, newest first',
    description: 'By the id of the patient, never by name.',
    patientData: { action: 'erasure.list' },
    query: ListErasures,
    item: ErasureView,
    items: 'erasures',
    subjectOf: ({ patientId }) => patientId,
    async read({ caller: { clinicId }, query }, { stores }) {
      const [page, names] = await Promise.all([stores.erasures.list(clinicId, query), staffNames(stores, clinicId)]);
      return { ...page, items: page.items.map((erasure) => toErasure(erasure, names)) };
    },
  }),
  routes.get('/erasures/:erasureId', {
    summary: 'How far an erasure has come',
    description: 'Poll it until `state` is DONE; `erased` counts what was deleted.',
    patientData: { action: 'erasure.read' },
    responses: {
      200: { description: 'The erasure', schema: ErasureView },
      404: { description: 'No such erasure of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { erasureId } }, { stores }) {
      const erasure = await stores.erasures.find(clinicId, erasureId);
      if (!erasure) throw new AppError('not_found', `Erasure ${erasureId} not found`);
      const body = toErasure(erasure, await staffNames(stores, clinicId));
      return { body, subjects: [body.patientId] };
    },
  }),
  routes.get('/patients/:patientId/legal-hold', {
    right: 'patients.read',
    summary: 'Whether a legal hold keeps a patient from being erased',
    description: '`hold` is null where there is none; an erasure is refused while there is one.',
    patientData: { action: 'legal-hold.read', asksFor: ofPatientPath },
    responses: { 200: { description: 'The hold, or none', schema: LegalHoldState }, 404: unknown },
    async handle({ caller: { clinicId }, params: { patientId } }, { stores }) {
      if (!(await stores.patients.exists(clinicId, patientId))) throw notFound(patientId);
      const hold = await stores.legalHolds.find(clinicId, patientId);
      return { body: { hold: hold && toHold(hold, await staffNames(stores, clinicId)) } };
    },
  }),
  routes.put('/patients/:patientId/legal-hold', {
    summary: 'Keep the records of a patient from being erased',
    description: 'With a reason. An erasure is then refused with 409 until the hold is lifted.',
    body: NewLegalHold,
    responses: {
      200: { description: 'The hold', schema: LegalHoldState },
      404: unknown,
      409: { description: 'The patient is being erased, or was merged into another' },
    },
    async handle({ caller: { clinicId }, params: { patientId }, body: { reason }, by }, { stores }) {
      if (!(await stores.legalHolds.place({ clinicId, patientId, reason }, by))) throw notFound(patientId);
      const hold = await stores.legalHolds.find(clinicId, patientId);
      return { body: { hold: hold && toHold(hold, await staffNames(stores, clinicId)) } };
    },
  }),
  routes.delete('/patients/:patientId/legal-hold', {
    stepUp: 'records',
    summary: 'Lift a legal hold',
    description: 'It erases nothing by itself. Where no hold is it is 404.',
    responses: { 204: { description: 'Lifted' }, 404: { description: 'No hold is on such a patient' } },
    async handle({ caller: { clinicId }, params: { patientId }, by }, { stores }) {
      if (!(await stores.legalHolds.lift(clinicId, patientId, by))) {
        throw new AppError('not_found', `No legal hold is on patient ${patientId}`);
      }
      return { status: 204 };
    },
  }),
];

const notFound = (patientId: string) => new AppError('not_found', `Patient ${patientId} not found`);

const held = (patientId: string) =>
  new AppError('conflict', `Patient ${patientId} is under a legal hold: lift it before the records are erased`);

export const toCounts = (counts: Record<string, number>) =>
  Object.entries(counts).map(([records, count]) => ({ records, count }));

function toErasure(
  { requestedAt, erasedAt, doneAt, counts, clinicId: _clinic, dispatchedAt: _dispatched, ...erasure }: ErasureRecord,
  names: ReadonlyMap<string, string>,
): ErasureView {
  return {
    ...erasure,
    requestedByName: names.get(erasure.requestedBy) ?? null,
    requestedAt: requestedAt.toISOString(),
    erasedAt: erasedAt?.toISOString() ?? null,
    doneAt: doneAt?.toISOString() ?? null,
    erased: toCounts(counts),
  };
}

const toHold = ({ placedAt, ...hold }: LegalHoldRecord, names: ReadonlyMap<string, string>): LegalHoldView => ({
  ...hold,
  placedByName: names.get(hold.placedBy) ?? null,
  placedAt: placedAt.toISOString(),
});
