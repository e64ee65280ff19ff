import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';

/** A provider every clinic begins with. `name` is a FHIR id, `displayName` is what is said. */
export interface ProviderFixture {
  name: string;
  displayName: string;
  workingHours: WorkingHours;
  visitTypes: string[];
}

const nineToFive = [{ opens: '09:00', closes: '17:00' }];
const splitDay = [
  { opens: '08:00', closes: '12:00' },
  { opens: '13:00', closes: '18:00' },
];
const lateDay = [{ opens: '10:30', closes: '18:30' }];

export const providerFixtures: ProviderFixture[] = [
  {
    name: 'Dr.Chen',
    displayName: 'Dr. Maya Chen',
    workingHours: {
      monday: nineToFive,
      tuesday: nineToFive,
      wednesday: nineToFive,
      thursday: nineToFive,
      friday: nineToFive,
    },
    visitTypes: ['Follow-up consultation', 'New patient visit', 'Annual physical'],
  },
  {
    name: 'Dr.Okafor',
    displayName: 'Dr. Samuel Okafor',
    workingHours: { monday: splitDay, tuesday: splitDay, thursday: splitDay, friday: splitDay },
    visitTypes: ['Follow-up consultation', 'Cardiology consultation'],
  },
  {
    name: 'Dr.Patel',
    displayName: 'Dr. Anita Patel',
    workingHours: {
      tuesday: lateDay,
      wednesday: lateDay,
      thursday: lateDay,
      friday: lateDay,
      saturday: [{ opens: '09:00', closes: '13:00' }],
    },
    visitTypes: ['Follow-up consultation', 'Dermatology consultation', 'Telehealth visit'],
  },
];

const allDay = [{ opens: '00:00', closes: '24:00' }];

/** Always open, no waiting, no limits per patient: every scene of the simulator ends within seconds. */
export const demoPolicy: CallingPolicy = {
  firstCallDelaySeconds: 0,
  maxAttempts: 3,
  secondsBetweenAttempts: 1,
  callingHours: {
    monday: allDay,
    tuesday: allDay,
    wednesday: allDay,
    thursday: allDay,
    friday: allDay,
    saturday: allDay,
    sunday: allDay,
  },
  maxConcurrentCalls: 200,
  callsPerPatientPerDay: null,
  callsPerPatientPerWeek: null,
  unknownZone: 'country',
  simulatorKeepsPatientHours: false,
  disclosesAutomation: true,
  booksInOwnCalendar: false,
  booksFollowUps: false,
  confirmsBookings: false,
};
