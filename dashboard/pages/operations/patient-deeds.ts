import type * as api from '#api';
import { t } from '#texts';
import { nameOf } from '#words';
import { allowReasons } from '../outreach/allow-reasons';

/** What somebody did, after their name; of a patient's, with whose it was. */
export type Words = string | ((whose: string, about: About) => string);

type About = Pick<api.AuditEntry, 'patient'> & Partial<Pick<api.AuditEntry, 'subjects' | 'detail'>>;
export type Told = About & Pick<api.AuditEntry, 'actor' | 'actorName' | 'action'>;

/** A number need not be a patient's. */
const isOfSomebody = ({ patient, subjects = [] }: About) => patient !== null || subjects.length > 0;

/** What is done with a patient, their visits and calls; what else the audit knows is in `audit-words.ts`. */
export const deedWords: Record<string, Words> = {
  'patient.create': (whose) => t`registered ${whose}`,
  'patient.change': (whose) => t`changed the record of ${whose}`,
  'patient.note': (whose) => t`wrote a note into the record of ${whose}`,
  'patient.export': (whose) => t`exported the record of ${whose}`,
  'patient.erase': (whose) => t`asked to erase ${whose}`,
  'patient.merge': (whose) => t`merged two records into that of ${whose}`,
  'patient.merge.undo': (whose) => t`undid a merge into the record of ${whose}`,
  'legal-hold.place': (whose) => t`placed a legal hold on the records of ${whose}`,
  'legal-hold.lift': (whose) => t`lifted the legal hold on the records of ${whose}`,
  'appointment.book': (whose) => t`booked an appointment for ${whose}`,
  'appointment.override': (whose) => t`booked an appointment for ${whose} against the rules`,
  'appointment.hold': (whose) => t`held a time for ${whose}`,
  'appointment.confirm': (whose) => t`confirmed an appointment of ${whose}`,
  'appointment.change': (whose) => t`changed an appointment of ${whose}`,
  'appointment.reschedule': (whose) => t`moved an appointment of ${whose}`,
  'appointment.cancel': (whose) => t`cancelled an appointment of ${whose}`,
  'appointment.restore': (whose) => t`undid the cancellation of an appointment of ${whose}`,
  'appointment.note': (whose) => t`noted whether ${whose} came`,
  'waitlist.add': (whose) => t`added ${whose} to the waitlist`,
  'waitlist.remove': (whose) => t`removed ${whose} from the waitlist`,
  'call.take-over': (whose) => t`took over the call with ${whose}`,
  'workflow.start': (whose) => t`started a workflow for ${whose}`,
  'workflow.cancel': (whose) => t`cancelled a workflow for ${whose}`,
  'opt-out.add': (whose, about) =>
    isOfSomebody(about) ? t`added the number of ${whose} to the opt-outs` : t`added a number to the opt-outs`,
  'opt-out.remove': (whose, about) => {
    if (!isOfSomebody(about)) return t`removed a number from the opt-outs`;
    const reason = Object.entries(allowReasons).find(([code]) => code === about.detail?.['reason'])?.[1];
    return reason === undefined
      ? t`removed the number of ${whose} from the opt-outs`
      : t`removed the number of ${whose} from the opt-outs: “${reason}”`;
  },
  'proposal.accept': t`accepted what was proposed for a record`,
  'proposal.dismiss': t`dismissed what was proposed for a record`,
  'task.change': (whose) => t`changed a task about ${whose}`,
  'task.note': (whose) => t`wrote a note about a task for ${whose}`,
  'task.retry': (whose) => t`had a task about ${whose} tried again`,
};

/** As “Ana Ruiz booked an appointment for Wendy Ivanov”. */
export function sentenceOf(entry: Told, words: Words): string {
  const { actor, actorName, patient } = entry;
  const whose = patient ? nameOf(patient) : t`a patient`;
  const did = typeof words === 'string' ? words : words(whose, entry);
  return t`${actorName ?? kindOfActor(actor)} ${did}`;
}

/** Who is no person of the clinic. */
const actorKinds: Record<string, string> = {
  account: t`A former account`,
  'api-key': t`An API key`,
  call: t`A voice agent`,
  workflow: t`A workflow`,
  system: t`The service`,
  operator: t`The operator`,
};

export const kindOfActor = (actor: string): string => actorKinds[actor.split(':')[0] ?? ''] ?? actor;
