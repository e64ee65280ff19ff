import { sentence } from '#parts';
import { t } from '#texts';
import { capitalised, locale } from '../../language';
import { deedWords, sentenceOf, type Told, type Words } from './patient-deeds';

/** In the order of the areas. `test/dashboard/audit.test.ts` names an action of the service that is missing here. */
const actionWords: Record<string, Words> = {
  ...deedWords,

  // Patients
  'patient.read': (whose) => t`opened ${whose}’s record`,
  'patient.list': t`looked at the list of patients`,
  'patient.search': t`searched the patients`,
  'patient.match': (whose) => t`looked up ${whose}`,
  'patient.decisions': (whose) => t`looked at why ${whose} was called or not`,
  'patient.proposals': (whose) => t`looked at what is proposed for the record of ${whose}`,
  'patient.erased': t`finished the erasure of a patient`,
  'erasure.list': t`looked at the list of erasures`,
  'erasure.read': t`looked at an erasure`,
  'legal-hold.read': (whose) => t`looked whether the records of ${whose} are held`,
  'record.look-up': t`looked up a record by its id`,

  // Calendar
  'appointment.read': (whose) => t`opened an appointment of ${whose}`,
  'appointment.list': t`looked at the list of appointments`,
  'appointment.search': t`searched the appointments`,
  'calendar.read': t`looked at a calendar`,
  'waitlist.list': t`looked at the waitlist`,
  'providers.change': t`changed the providers`,
  'closed-days.change': t`changed the closed days`,

  // Outreach
  'case.read': (whose) => t`opened a recovery case of ${whose}`,
  'case.list': t`looked at the list of recovery cases`,
  'case.search': t`searched the recovery cases`,
  'call.read': (whose) => t`opened a call with ${whose}`,
  'call.list': t`looked at the list of calls`,
  'call.search': t`searched the calls`,
  'calling-queue.list': t`looked at the queue`,
  'calling-queue.search': t`searched the queue`,
  'run.list': t`looked at the list of workflows`,
  'run.search': t`searched the workflows`,
  'workflow.read': (whose) => t`looked at a workflow for ${whose}`,
  'workflow.list': t`listed workflows over the API`,
  'bulk.cancel_runs': t`cancelled many workflows at once`,
  'bulk.stop': t`stopped a bulk job`,
  'outreach.pause': t`paused calls`,
  'outreach.resume': t`resumed calls`,
  'opt-out.list': t`looked at the opt-outs`,
  'opt-out.import': t`imported opt-outs`,
  'opt-out.export': t`exported the opt-outs`,
  'recovery-policy.change': t`changed how and when patients are called`,
  'recording-disclosure.on': t`had calls say that they are recorded`,
  'recording-disclosure.off': t`had calls no longer say that they are recorded`,
  'disclosure.on': t`had calls say that they are automated`,
  'disclosure.off': t`had calls no longer say that they are automated`,
  'numbers-per-day.change': t`changed how many numbers may be called in a day`,

  // Tasks
  'task.read': (whose) => t`opened a task about ${whose}`,
  'task.list': t`looked at the list of tasks`,
  'task.search': t`searched the tasks`,
  'view.save': t`saved a view`,
  'view.change': t`changed a saved view`,
  'view.remove': t`removed a saved view`,

  // Events
  'delivery.read': t`opened a delivery`,
  'delivery.list': t`looked at the list of deliveries`,
  'delivery.resend': t`sent a delivery again`,
  'bulk.resend_deliveries': t`sent many deliveries again`,
  'outbound.change': t`changed where events go`,
  'outbound.test': t`sent a test event`,
  'outbound.rotate-secret': t`created a new signing secret`,
  'endpoint.add': t`added an endpoint`,
  'endpoint.change': t`changed an endpoint`,
  'endpoint.remove': t`removed an endpoint`,
  'endpoint.test': t`tried an endpoint`,
  'endpoint.rotate-secret': t`created a new signing secret for an endpoint`,
  'inbound.rotate-secret': t`created a new secret for inbound events`,
  'inbound.retire-secret': t`withdrew a secret for inbound events`,
  'approved-api.change': t`changed the approved API`,
  'approved-api.remove': t`removed the approved API`,
  'approved-api.try': t`tried the approved API`,
  'client-key.create': t`created a key pair`,
  'client-key.remove': t`withdrew a key pair`,
  'crm.change': t`changed the CRM`,
  'crm.remove': t`removed the CRM`,

  // Voice
  'voice.change': t`changed the voice platform`,
  'voice.rotate-secret': t`created a new secret for the voice platform`,
  'voice.assistants': t`changed the assistants`,
  'voice.call-me': t`had a call made to themselves`,
  'voice-provider.change': t`changed who plays or places calls`,
  'phone-numbers.change': t`changed the phone numbers`,
  'phone-numbers.assign': t`assigned a phone number`,
  'phone-numbers.take-away': t`removed a phone number`,
  'test-call.open': t`opened a test call`,
  'test-call.close': t`closed a test call`,
  'delivery.search': t`searched the deliveries`,
  'opt-out.search': t`searched the opt-outs`,
  'tool-call.contradiction': (whose) => t`said in a call what contradicts the record of ${whose}`,

  // Accounts
  'sign-in': t`signed in`,
  'sign-in.refused': t`was refused at the sign-in`,
  'sign-out': t`signed out`,
  'session.end': t`ended a session`,
  'session.end-all': t`ended all sessions of an account`,
  'session.step-up': t`proved again who they are`,
  'password.refused': t`gave a wrong password`,
  'passkey.add': t`added a passkey`,
  'passkey.rename': t`renamed a passkey`,
  'passkey.remove': t`removed a passkey`,
  'second-factor.enable': t`set up a second factor`,
  'second-factor.require': t`required a second factor of everybody`,
  'second-factor.stop-requiring': t`no longer requires a second factor`,
  'second-factor.remove': t`removed a second factor`,
  'account.create': t`created an account`,
  'account.invite': t`invited somebody`,
  'account.withdraw-invitation': t`withdrew an invitation`,
  'account.accept-invitation': t`accepted an invitation`,
  'account.set-password': t`set a password by a link`,
  'account.link': t`linked an account`,
  'account.reset': t`created a link to reset a password`,
  'account.change-password': t`changed a password`,
  'account.change-role': t`changed the role of an account`,
  'account.disable': t`disabled an account`,
  'account.enable': t`enabled an account`,
  'emergency.begin': t`opened emergency access`,
  'api-key.create': t`created an API key`,
  'api-key.rotate': t`rotated an API key`,
  'api-key.revoke': t`revoked an API key`,
  'single-sign-on.change': t`changed single sign-on`,
  'single-sign-on.remove': t`removed single sign-on`,
  'single-sign-on.only-way': t`made single sign-on the only way in`,
  'single-sign-on.not-only-way': t`let people sign in by passwords again`,
  'single-sign-on.unlink': t`unlinked an account from single sign-on`,
  'single-sign-on.confirm-domain': t`confirmed a domain for single sign-on`,
  'single-sign-on.take-domain-away': t`removed a domain from single sign-on`,

  // Operations
  'audit.list': t`looked at the audit`,
  'audit.export': t`exported the audit`,
  'retention.change': t`changed for how long contents are kept`,
  'result-settings.change': t`changed the settings of the results`,
  'language.change': t`changed the language`,
  'country.change': t`changed the country of the clinic`,

  // Sandbox
  'sandbox.enable': t`switched the sandbox on`,
  'sandbox.disable': t`switched the sandbox off`,
  'sandbox.clock.set': t`set the clock of the sandbox`,
  'sandbox.clock.clear': t`set the sandbox back to the real time`,
  'sandbox.call-holds': t`changed how long calls may hold a time`,
  'sandbox.leniency.set': t`changed how lenient the sandbox is`,
  'sandbox.failure.choose': t`chose a failure for the sandbox`,
  'sandbox.failure.remove': t`removed a failure from the sandbox`,
  'sandbox.snapshot': t`took a snapshot of the sandbox`,
  'sandbox.snapshot.delete': t`deleted a snapshot of the sandbox`,
  'sandbox.restore': t`restored a snapshot of the sandbox`,
  'sandbox.reset': t`reset the sandbox`,
  'sandbox.client.register': t`registered a client of the sandbox`,
  'sandbox.client.remove': t`removed a client of the sandbox`,
  'sandbox.named.open': t`opened a named sandbox`,
  'sandbox.named.renew': t`created a new token for a named sandbox`,
  'sandbox.named.remove': t`removed a named sandbox`,
  'sandbox.subscription.add': t`added a FHIR subscription`,
  'sandbox.subscription.change': t`changed a FHIR subscription`,
  'sandbox.subscription.remove': t`removed a FHIR subscription`,
  'try-it.recovery': t`played a scene`,
  'validation-run.start': t`started a validation run`,
  'validation-run.end': t`ended a validation run`,
};

/** As “Ana Ruiz opened the record of Wendy Ivanov”; an action without words by what it is called. */
export const sentenceOfEntry = (entry: Told): string =>
  sentenceOf(entry, actionWords[entry.action] ?? wordsOfKind(entry.action));

/** Every action by what it says of a patient, in the order of these words; one that a link asks for has its code at least. */
export function actionOptions(asked: string | undefined): { value: string; label: string }[] {
  const about = { patient: null, subjects: [''] };
  const inWords = Object.entries(actionWords).map(([value, words]) => ({
    value,
    label: capitalised(typeof words === 'string' ? words : words(t`a patient`, about)),
  }));
  const isOther = asked !== undefined && actionWords[asked] === undefined;
  return [
    ...inWords.toSorted((one, other) => one.label.localeCompare(other.label, locale)),
    ...(isOther ? [{ value: asked, label: asked }] : []),
  ];
}

/** What is called by a tool of a call, or by what was asked of another system. */
function wordsOfKind(action: string): Words {
  if (action.startsWith('tool.')) {
    const tool = sentence(action.slice('tool.'.length));
    return (whose) => t`used the tool “${tool}” in a call with ${whose}`;
  }
  return action.startsWith('outbound.') ? t`sent a request to a system of the clinic` : action;
}
