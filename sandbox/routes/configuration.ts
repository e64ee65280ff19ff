import { SandboxOff } from '@clinic/shared/errors';
import type { Agenda } from '@clinic/prisma/stores/calendar/agendas';
import { noSandboxHere } from '@clinic/prisma/stores/sandbox/sandbox';
import type { Deps } from '@clinic/api/http/route';
import { routesOf } from '@clinic/api/http/routes-of';

/** What a clinic's team sets of its sandbox while it tests: administrators, and those who have a token of a named one. */
export const configuration = routesOf({
  tag: 'Sandbox configuration',
  access: 'clinic',
  right: 'sandbox',
  isOpenToSandboxTokens: true,
  patientData: 'none',
});

/** The agenda of a sandbox that is on. Throws `conflict` where the clinic can have none, `forbidden` where it is off. */
export async function opened({ stores }: Deps<'stores'>, clinicId: string): Promise<Agenda> {
  const agenda = await stores.agendas.of(clinicId);
  if (agenda?.hasRealPatients) throw noSandboxHere();
  if (!agenda?.isSandboxEnabled) throw new SandboxOff();
  return agenda;
}
