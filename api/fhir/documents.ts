import { DocumentReference, NewDocumentReference, noteExtensions } from '@clinic/shared/contracts/calendar/fhir';
import { AppError, invalid } from '@clinic/shared/errors';
import { fhir, fhirResponse } from './fhir-route';
import { idOfReference } from '@clinic/shared/contracts/calendar/search';

const MAX_BYTES = 5 * 1024 * 1024;

/** `POST /DocumentReference`: the summary of a conversation, written back to its patient. */
export const documentRoutes = [
  fhir.post('/DocumentReference', {
    right: 'patients',
    patientData: { action: 'patient.note', isChange: true },
    summary: 'Write back a note; it may ask staff for an escalation or for external records',
    description:
      'Text in base64, in a body of 8 MB at most. With `escalateToClinicalTeam` or `requestExternalRecords` staff get a task. Without an `Idempotency-Key` a repetition is another note.',
    body: NewDocumentReference,
    limit: '8mb',
    isIdempotent: true,
    responses: {
      200: fhirResponse('The document', DocumentReference),
      404: { description: 'No such patient of this clinic' },
    },
    async handle({ caller: { clinicId }, body, idOfNew: id }, { stores }) {
      const patientId = idOfReference('Patient', body.subject.reference, 'subject.reference');
      const content = body.content.map(({ attachment: { contentType, data } }) => ({ contentType, data }));
      if (content.some(({ data }) => Buffer.from(data, 'base64').length > MAX_BYTES)) {
        throw new AppError('payload_too_large', 'An attachment holds more than 5 MB');
      }
      const wishes = wishesOf(body);
      const written = await stores.documents.write({
        id,
        clinicId,
        patientId,
        content,
        ...Object.fromEntries(wishes.map(({ url, valueBoolean }) => [url, valueBoolean])),
      });
      if (written.kind === 'unknown_patient') throw new AppError('unknown_patient', `Patient ${patientId} not found`);
      const document: DocumentReference = {
        resourceType: 'DocumentReference',
        id,
        status: 'current',
        subject: { reference: `Patient/${patientId}` },
        content: content.map((attachment) => ({ attachment })),
        ...(wishes.length > 0 && { extension: wishes }),
      };
      return { body: document, subjects: [patientId] };
    },
  }),
];

/** The extensions that mean something here, each at most once. */
function wishesOf({ extension = [] }: NewDocumentReference): NonNullable<DocumentReference['extension']> {
  return noteExtensions.flatMap((url) => {
    const [wish, ...more] = extension.filter((each) => each.url === url);
    if (!wish) return [];
    if (typeof wish.valueBoolean === 'boolean' && more.length === 0) return [{ url, valueBoolean: wish.valueBoolean }];
    throw invalid('extension', `must give ${url} once, with a valueBoolean`);
  });
}
