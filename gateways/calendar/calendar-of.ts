import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { createFhirCalendar, type FhirCalendarDeps } from './fhir/calendar';
import { createOwnCalendar, type OwnCalendarDeps } from './own/calendar';
import type { Calendar } from './port';

/** The calendar that a call acts on: its clinic's EHR where the clinic has chosen that, else the clinic's own here. */
export const calendarOf = (call: LiveCall, deps: OwnCalendarDeps & FhirCalendarDeps): Calendar =>
  call.isLiveEhr ? createFhirCalendar(call, deps) : createOwnCalendar(call, deps);
