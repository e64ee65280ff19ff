import { sameKeyAfterLoss } from './booking';
import { type Behaviour, each, isOk, once } from './judging';

export const noteBehaviours: Behaviour[] = [
  {
    id: 'note-with-key',
    area: 'Notes',
    title: 'Sends an Idempotency-Key with each note',
    howToCause: 'Add the header Idempotency-Key to POST /DocumentReference.',
    judge: each('note', ({ key }) => (key === null ? 'It wrote a note without an Idempotency-Key' : null)),
  },
  {
    id: 'lost-note',
    area: 'Notes',
    title: 'Sends a note again, the same under the same key, when its reply is lost or 5xx',
    howToCause: 'Choose the failure reply_lost_after_write for document, or break the connection.',
    judge: sameKeyAfterLoss('note'),
  },
  {
    id: 'note-escalates',
    area: 'Notes',
    title: 'Asks for the clinical team by escalateToClinicalTeam, as a boolean',
    howToCause: 'Write a note with the extension { "url": "escalateToClinicalTeam", "valueBoolean": true }.',
    judge: once((at) => at.operation === 'note' && isOk(at) && at.facts.escalates === true),
  },
  {
    id: 'note-wants-records',
    area: 'Notes',
    title: 'Asks for records of elsewhere by requestExternalRecords, as a boolean',
    howToCause: 'Write a note with the extension { "url": "requestExternalRecords", "valueBoolean": true }.',
    judge: once((at) => at.operation === 'note' && isOk(at) && at.facts.wantsRecords === true),
  },
  {
    id: 'note-known-extensions',
    area: 'Notes',
    title: 'Sends no extension that is silently passed over',
    howToCause: 'Write notes with extensions of the two known urls only.',
    judge: each('note', ({ facts: { hasUnknownExtension } }) =>
      hasUnknownExtension === true ? 'It sent an extension that nobody reads' : null,
    ),
  },
  {
    id: 'note-in-utf8',
    area: 'Notes',
    title: 'Encodes notes as UTF-8 before base64',
    howToCause: 'Write a note with an accent in it, as "naïve", encoded as UTF-8.',
    judge: each('note', (at) => {
      if (!isOk(at) || at.facts.isUtf8 === undefined) return undefined;
      return at.facts.isUtf8 ? null : 'The text of the note is not UTF-8';
    }),
  },
];
