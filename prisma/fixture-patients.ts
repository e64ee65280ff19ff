import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { sha256Hex } from '@clinic/shared/crypto';
import { plusSeconds } from '@clinic/shared/domain/calendar/clinic-time';
import { offeredSlots, type Slot, type WorkingHours } from '@clinic/shared/domain/calendar/slots';

/** A person of a sandbox. Nobody real: names by lot, numbers from the range that is kept for fiction. */
export interface PatientFixture {
  identifier: string;
  firstName: string;
  lastName: string;
  birthDate: string;
  phone: string;
  email: string;
}

/** An appointment of a fixture patient: how many days after the seeding, with which provider, in which state. */
interface AppointmentFixture {
  days: number;
  status: 'booked' | 'cancelled' | 'fulfilled';
}

const upcoming = (days: number): AppointmentFixture => ({ days, status: 'booked' });
const past = (days: number): AppointmentFixture => ({ days: -days, status: 'fulfilled' });
const cancelled = (days: number): AppointmentFixture => ({ days, status: 'cancelled' });

const person = (
  number: number,
  firstName: string,
  lastName: string,
  birthDate: string,
  appointments: AppointmentFixture[],
): PatientFixture & { appointments: AppointmentFixture[] } => ({
  identifier: `MRN-${1000 + number}`,
  firstName,
  lastName,
  birthDate,
  appointments,
  phone: `+1303555${String(100 + number).padStart(4, '0')}`,
  email: `${firstName}.${lastName}@example.com`.toLowerCase(),
});

/** Whom a clinic's sandbox begins with. */
export const patientFixtures = [
  person(1, 'Ava', 'Thompson', '1986-04-12', [upcoming(2), past(30)]),
  person(2, 'Liam', 'Nguyen', '1974-11-03', [upcoming(3)]),
  person(3, 'Sofia', 'Ramirez', '1992-07-25', [upcoming(5), cancelled(4)]),
  person(4, 'Noah', 'Kowalski', '1965-01-30', [upcoming(6), upcoming(20)]),
  person(5, 'Mia', 'Haddad', '2001-09-17', [upcoming(8), past(14)]),
  person(6, 'Ethan', 'Brooks', '1958-06-08', [upcoming(9)]),
  person(7, 'Chloe', 'Martin', '1979-12-21', [cancelled(3)]),
  person(8, 'Lucas', 'Silva', '1990-02-14', [cancelled(-10), past(45)]),
  person(9, 'Grace', 'O’Connell', '1947-08-19', [past(7), past(60)]),
  person(10, 'Omar', 'Farouk', '1983-05-05', [past(21)]),
  person(11, 'Hannah', 'Lindqvist', '1969-10-10', []),
  person(12, 'Daniel', 'Mbeki', '1996-03-28', []),
];

export interface PlannedAppointment {
  identifier: string;
  providerId: string;
  visitType: string;
  status: AppointmentFixture['status'];
  startsAt: string;
  endsAt: string;
}

export interface FixtureProvider {
  id: string;
  name: string;
  workingHours: WorkingHours;
  visitTypes: string[];
}

/** When the fixture patients come: on slots that the clinic's own providers really offer, seen from `now`. */
export function planAppointments({
  providers,
  zone,
  now,
  isFree,
}: {
  providers: FixtureProvider[];
  zone: string;
  now: string;
  isFree: (providerId: string, slot: Slot) => boolean;
}): PlannedAppointment[] {
  const taken = new Set<string>();
  const wanted = patientFixtures.flatMap(({ identifier, appointments }) =>
    appointments.map((appointment) => ({ identifier, ...appointment })),
  );
  return wanted.flatMap(({ identifier, days, status }, index) => {
    const provider = providers[index % providers.length];
    if (!provider) return [];
    const from = plusSeconds(now, days * DAY_SECONDS);
    const slots = offeredSlots({
      providerName: provider.name,
      hours: provider.workingHours,
      zone,
      booked: [],
      from,
      // A past appointment stands where a slot was on offer then.
      now: days < 0 ? from : now,
      until: plusSeconds(now, days < 0 ? 0 : (days + 7) * DAY_SECONDS),
    }).filter((slot) => !taken.has(slot.slotId) && isFree(provider.id, slot));
    const slot = slots[(index * 3) % Math.min(slots.length, 12)];
    if (!slot) return [];
    taken.add(slot.slotId);
    const { startsAt, endsAt } = slot;
    const visitType = provider.visitTypes[index % provider.visitTypes.length] ?? defaultVisitType;
    return [{ identifier, providerId: provider.id, visitType, status, startsAt, endsAt }];
  });
}

const DAY_SECONDS = 24 * 60 * 60;

const firstNames = ['Amelia', 'Benjamin', 'Camila', 'Diego', 'Elena', 'Felix', 'Imani', 'Jonas', 'Leila', 'Mateo'];
const lastNames = ['Adler', 'Bennett', 'Castillo', 'Dubois', 'Eriksen', 'Fischer', 'Grant', 'Iyer', 'Novak', 'Price'];

/** Who answers to an identifier that nobody has: the same person in every clinic and at every time. */
export function fixturePatientOf(identifier: string): PatientFixture {
  const digits = Buffer.from(sha256Hex(identifier), 'hex');
  const firstName = firstNames[digits.readUInt8(0) % firstNames.length] ?? 'Amelia';
  const lastName = lastNames[digits.readUInt8(1) % lastNames.length] ?? 'Adler';
  const month = String(1 + (digits.readUInt8(2) % 12)).padStart(2, '0');
  const day = String(1 + (digits.readUInt8(3) % 28)).padStart(2, '0');
  const areas = ['303', '415', '617', '312', '206', '512'];
  return {
    identifier,
    firstName,
    lastName,
    birthDate: `${1940 + (digits.readUInt8(4) % 65)}-${month}-${day}`,
    phone: `+1${areas[digits.readUInt8(5) % areas.length]}55501${String(digits.readUInt8(6) % 100).padStart(2, '0')}`,
    email: `${firstName}.${lastName}@example.com`.toLowerCase(),
  };
}
