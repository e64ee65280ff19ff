import type { z } from 'zod';
import type { ClinicAction, FhirAction } from '@clinic/shared/contracts/events/approved-api';
import {
  AppointmentNotice,
  DocumentNotice,
  InsuranceQuestion,
  PatientNotice,
} from '@clinic/shared/contracts/events/clinic-notice';
import type { ClinicApiInput, ClinicApiResult } from '../../clinic-api/result';
import { book, cancel, holderOf, keptUnderOurs, readAppointment, refuseForeign } from './appointments';
import { documentResource } from './documents';
import { answerTo, eligibilityRequest, verdictIn } from './eligibility';
import { tokenOf } from './identifiers';
import { knownId, knownPatient } from './patients';
import { createOnce, idFrom, unusable } from './requests';
import { atServer, type FhirServer, type FhirServerOptions, mayMakePatients } from './server';

interface FhirApiOptions extends FhirServerOptions {
  now?: () => Date;
}

/** What an action takes, as the `json` kind of API is sent it, and what is done with it at the server. */
interface Action<Body> {
  schema: z.ZodType<Body>;
  run(at: FhirServer & { patient: PatientNotice | null; now: () => Date }, body: Body): Promise<object>;
}

const action = <Body>(definition: Action<Body>): Action<unknown> => definition;

const actions: Record<FhirAction, Action<unknown>> = {
  'patient.upsert': action({
    schema: PatientNotice,
    run: async (at, patient) => ({ externalId: await patientAt(at, patient) }),
  }),

  'appointment.book': action({
    schema: AppointmentNotice,
    run: async (at, notice) => {
      const patientId = await patientAt(at, notice.patient);
      const booked = await book({ ...at, notice, patientReference: `Patient/${patientId}` });
      return { externalId: booked, externalPatientId: patientId };
    },
  }),

  'appointment.cancel': action({
    schema: AppointmentNotice,
    run: async (at, notice) => {
      const { ask, capabilities } = at;
      const externalId = notice.externalId ?? (await keptUnderOurs(ask, notice, capabilities))?.id ?? null;
      const current = externalId === null ? null : await readAppointment(ask, externalId);
      if (externalId !== null && current) {
        const whose = async () => `Patient/${await knownPatient(ask, notice.patient, { mayMake: false })}`;
        await refuseForeign(current, notice, whose);
        await cancel(at, externalId, 'patient', { current });
        await at.times.giveBack(holderOf(current.resource));
      }
      return { externalId };
    },
  }),

  'document.write': action({
    schema: DocumentNotice,
    run: async (at, document) => {
      if (!at.patient) return unusable('it is not known whom the note is about');
      const patientId = await patientAt(at, at.patient);
      const body = documentResource(document, `Patient/${patientId}`);
      const condition = `identifier=${tokenOf('document', document.documentId)}`;
      const made = await createOnce(at.ask, 'DocumentReference', body, condition);
      return { externalId: idFrom(made), externalPatientId: patientId };
    },
  }),

  'insurance.verify': action({
    schema: InsuranceQuestion,
    run: async ({ ask, patient, now }, question) => {
      const externalPatientId = patient && (await knownId(ask, patient));
      const made = await ask({
        method: 'POST',
        path: 'CoverageEligibilityRequest',
        template: 'CoverageEligibilityRequest',
        body: eligibilityRequest(question, { patient, externalPatientId, created: now().toISOString() }),
      });
      return verdictIn(made.body) ?? (await answerTo(ask, made)) ?? {};
    },
  }),
};

const patientAt = (server: FhirServer, patient: PatientNotice) =>
  knownPatient(server.ask, patient, { mayMake: mayMakePatients(server) });

/**
 * The actions of an approved API, done at a FHIR R4 server. Each takes the body that the `json` kind sends, and answers with
 * `{externalId}`, or with the verdict of `insurance.verify`. Each may be done twice: a record is made under our own identifier.
 */
export function createFhirApi({ now = () => new Date(), ...options }: FhirApiOptions) {
  const { isOn, permitted } = options.settings;
  return {
    call: async (name: ClinicAction, input: ClinicApiInput = {}): Promise<ClinicApiResult> => {
      if (name === 'form.progress' || !isOn || !permitted.includes(name)) return { kind: 'not_permitted' };
      const { schema, run } = actions[name];
      const body = schema.safeParse(input.body);
      if (!body.success) {
        const [issue] = body.error.issues;
        return { kind: 'unusable', reason: `the body lacks ${issue?.path.join('.') || 'everything'}` };
      }
      const { patient = null } = input;
      const done = await atServer(options, { action: name, input }, (server) =>
        run({ ...server, patient, now }, body.data),
      );
      return done.kind === 'done' ? { kind: 'answered', status: 200, body: done.value } : done;
    },
  };
}
