import { withLeniency } from '@clinic/sandbox/leniency';
import type { Route } from '../http/route';
import { matchPatients } from './match';
import { searchAppointments } from './search-appointments';

/** Routes of the sandbox EMR as a clinic's sandbox wants them, with what they answer where a lenient rule is off. */
export const lenient = (routes: Route[]): Route[] => withLeniency({ searchAppointments, matchPatients }, routes);
