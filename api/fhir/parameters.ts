import type { Parameters } from '@clinic/shared/contracts/fhir';
import { AppError } from '@clinic/shared/errors';

/** The one parameter of a name. Throws `bad_request` where there is none, or more than one. */
export function parameterNamed({ parameter }: Parameters, name: string): Parameters['parameter'][number] {
  const [found, ...more] = parameter.filter((each) => each.name === name);
  if (found && more.length === 0) return found;
  const message = `must hold one parameter named ${name}`;
  throw new AppError('bad_request', `parameter ${message}`, [{ path: 'parameter', message }]);
}
