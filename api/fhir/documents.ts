import { DocumentReference, NewDocumentReference, noteExtensions } from '@clinic/shared/contracts/fhir';
import { AppError } from '@clinic/shared/errors';
import type { Route } from '../http/route';
import { fhirResponse, type FhirDeps, fhirRoute } from './fhir-route';
import { idOfReference } from './search';

const MAX_BYTES = 5 * 1024 * 1024;

/** `POST /DocumentReference`: the summary of a conversation, written back to its patient. */
export function documentRoutes({ stores }: FhirDeps): Route[] {
  return [
    fhirRoute({
      method: 'post',
      path: '/DocumentReference',
      patientData: { action: 'patient.note', isChange: true },
      summary: 'Write back a note; it may ask staff for an escalation or for external records',
      body: NewDocumentReference,
      limit: '8mb',
      isIdempotent: true,
      responses: {
        200: fhirResponse('The document', DocumentReference),
        404: { description: 'No such patient of this clinic' },
      },
      async handle({ caller: { clinicId }, body, idOfNew: id }) {
        const patientId = idOfReference('Patient', body.subject.reference, 'subject.reference');
        const content = body.content.map(({ attachment: { contentType, data } }) => ({ contentType, data }));
        if (content.some(({ data }) => Buffer.byteLength(data, 'base64') > MAX_BYTES)) {
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
        if (written.kind === 'unknown_patient') throw new AppError('not_found', `Patient ${patientId} not found`);
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
}

/** The extensions that mean something here, each at most once. */
function wishesOf({ extension = [] }: NewDocumentReference): NonNullable<DocumentReference['extension']> {
  return noteExtensions.flatMap((url) => {
    const [wish, ...more] = extension.filter((each) => each.url === url);
    if (!wish) return [];
    if (typeof wish.valueBoolean === 'boolean' && more.length === 0) return [{ url, valueBoolean: wish.valueBoolean }];
    const message = `must give ${url} once, with a valueBoolean`;
    throw new AppError('bad_request', `extension ${message}`, [{ path: 'extension', message }]);
  });
}
