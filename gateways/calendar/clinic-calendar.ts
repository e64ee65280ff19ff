import type { Stores } from '@clinic/prisma/stores';

/** What the real calls of a clinic act on, as `calendarOf` chooses it for one of them. */
export interface ClinicCalendar {
  /** The clinic's EHR, its own calendar at this service, or none. */
  kind: 'ehr' | 'own' | 'none';
  /** Whether calls may hold times there for callers who think it over. */
  holdsTimes: boolean;
  /** Whether follow-ups may book for patients who have no visit. */
  booksFollowUps: boolean;
}

/** The calendar of a clinic as its settings stand now. */
export async function clinicCalendar(
  { agendas, clinics, settings }: Pick<Stores, 'agendas' | 'clinics' | 'settings'>,
  clinicId: string,
): Promise<ClinicCalendar> {
  const [api, clinic, agenda, policy] = await Promise.all([
    settings.approvedApi(clinicId),
    clinics.find(clinicId),
    agendas.of(clinicId),
    clinics.policy(clinicId),
  ]);
  const { booksFollowUps, booksInOwnCalendar } = policy;
  if (api?.fhir?.isOn && api.fhir.isLive) return { kind: 'ehr', holdsTimes: false, booksFollowUps };
  // A sandbox ends when the simulator is left, unless the clinic is a demo.
  const isOwnOn = booksInOwnCalendar || (clinic?.isDemo && clinic.isSandboxEnabled);
  if (!isOwnOn) return { kind: 'none', holdsTimes: false, booksFollowUps: false };
  return { kind: 'own', holdsTimes: (agenda?.callHoldMinutes ?? 0) > 0, booksFollowUps };
}
