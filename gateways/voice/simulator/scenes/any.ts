import { goodbye, talk } from '../talk';
import type { Cast } from './cast';

/** What callers do when all that matters is what they say. */
export const anyCast: Cast = {
  agrees: talk(goodbye('The patient agreed.', 'confirmed')),
  'wants-callback': talk(goodbye('The patient asked to be called back.', 'callback')),
  'finds-it-expensive': talk(goodbye('The patient wants to talk to billing.', 'escalated')),
  'asks-clinical-question': talk(goodbye('The patient has a question for the care team.', 'escalated')),
  declines: talk(goodbye('The patient declined.', 'declined')),
};
