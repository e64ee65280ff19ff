import type { z } from 'zod';
import { type Parameters, proposalNames, type ProposedAppointment } from './fhir';
import { AppError } from '../../errors';
import { idOfReference } from './search';

/** The one parameter of a name. Throws `bad_request` where there is none, or more than one. */
export function parameterNamed({ parameter }: Parameters, name: string): Parameters['parameter'][number] {
  const [found, ...more] = parameter.filter((each) => each.name === name);
  if (found && more.length === 0) return found;
  const message = `must hold one parameter named ${name}`;
  throw new AppError('bad_request', `parameter ${message}`, [{ path: 'parameter', message }]);
}

/**
 * The Appointment that somebody proposes: the contract's parameter, or what the Argonaut Scheduling guide and IHE's Scheduling
 * profile call it. Throws `bad_request` where there is none, or more than one.
 */
export function proposedIn(body: Parameters): unknown {
  const isThere = (wanted: string) => body.parameter.some(({ name }) => name === wanted);
  const name = proposalNames.find(isThere) ?? 'appointment';
  return parameterNamed(body, name).resource;
}

/** The id of the Appointment, proposed or held, that is named by the words of those guides; null where none is. */
export function namedIn(body: Parameters): string | null {
  const name = ['appt-id', 'appointment-reference'].find((each) => body.parameter.some((given) => given.name === each));
  if (name === undefined || body.parameter.some((given) => given.name === 'appointment')) return null;
  const { valueUri, valueString, valueReference } = parameterNamed(body, name);
  const { reference } = (valueReference ?? {}) as { reference?: unknown };
  const said = valueUri ?? valueString ?? reference;
  return idOfReference('Appointment', typeof said === 'string' ? said.slice(0, 500) : undefined, name);
}

/** The one participant of a type. */
export function participantOf(
  { participant }: z.output<typeof ProposedAppointment>,
  type: 'Patient' | 'Practitioner',
): string {
  const references = participant.flatMap(({ actor }) => actor?.reference ?? []);
  const [reference, ...more] = references.filter((each) => each.startsWith(`${type}/`));
  if (reference !== undefined && more.length === 0) return idOfReference(type, reference, 'participant');
  const message = `must hold one ${type}/ reference`;
  throw new AppError('bad_request', `participant ${message}`, [{ path: 'participant', message }]);
}
