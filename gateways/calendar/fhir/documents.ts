import type { DocumentNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { identifier } from './identifiers';

export function documentResource({ documentId, text, createdAt, ...notice }: DocumentNotice, patientReference: string) {
  const wishes = [
    ...(notice.escalateToClinicalTeam ? ['the care team should look at it'] : []),
    ...(notice.requestExternalRecords ? ['external records are to be requested'] : []),
  ];
  // An escalation without words: what is known is that it was asked for.
  const said = text.trim() === '' ? wishes.join('; ') : text;
  return {
    resourceType: 'DocumentReference',
    identifier: identifier('document', documentId),
    status: 'current',
    docStatus: 'final',
    type: {
      coding: [{ system: 'http://loinc.org', code: '34748-4', display: 'Telephone encounter Note' }],
      text: 'Note of a phone call',
    },
    category: [
      {
        coding: [
          {
            system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
            code: 'clinical-note',
            display: 'Clinical Note',
          },
        ],
      },
    ],
    subject: { reference: patientReference },
    date: createdAt,
    ...(wishes.length > 0 && { description: `Note of a phone call: ${wishes.join('; ')}` }),
    content: [
      {
        attachment: {
          contentType: 'text/plain',
          language: 'en',
          // R4 knows no empty texts.
          ...(said !== '' && { data: Buffer.from(said, 'utf8').toString('base64') }),
          title: 'Note of a phone call',
          creation: createdAt,
        },
      },
    ],
  };
}
