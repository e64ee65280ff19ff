import { type Cast, goodbye, talk } from './talk';

/** What callers do when all that matters is what they say. */
export const anyCast: Cast = {
  agrees: talk(goodbye('The patient agreed.', 'confirmed')),
  wantsCallback: talk(goodbye('The patient asked to be called back.', 'callback')),
  findsItExpensive: talk(goodbye('The patient wants to talk to billing.', 'escalated')),
  asksClinicalQuestion: talk(goodbye('The patient has a question for the care team.', 'escalated')),
  declines: talk(goodbye('The patient declined.', 'declined')),
};
