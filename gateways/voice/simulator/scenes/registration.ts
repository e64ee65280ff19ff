import { emr, firstOffer, goodbye, journey, type Lines } from '../talk';
import { anyCast } from './any';
import type { Cast } from './cast';

const answers: Record<string, unknown> = {
  firstName: 'Robin',
  lastName: 'Vale',
  email: 'robin.vale@example.com',
  preferredLocation: 'Main street',
  medicareStatus: 'none',
  healthPlanName: 'Blue Cross',
  referralSource: 'a friend',
  commsConsent: true,
};

/** Gives what the agent asks for, until nothing is missing. */
function* register(phone: string): Lines {
  yield journey('resolve_patient_identity', { statedPhone: phone });
  const { missingFields } = yield journey('update_registration_field', {
    preferredLocation: answers.preferredLocation,
  });
  const missing = Array.isArray(missingFields) ? missingFields.map(String) : [];
  yield journey(
    'update_registration_field',
    Object.fromEntries(missing.map((field) => [field, field === 'phone' ? phone : answers[field]])),
  );
}

/** People who want to become patients. */
export const registrationCast = (phone: string): Cast => ({
  ...anyCast,
  *agrees() {
    yield* register(phone);
    const offer = firstOffer(yield emr('check_availability'));
    if (offer) {
      const { providerName, startsAt: scheduledAt } = offer;
      yield emr('book_appointment', { providerName, scheduledAt, visitType: 'New patient visit' });
    }
    yield goodbye('The patient is registered.', 'confirmed');
  },
});
