import { type ReactNode, Suspense, useState } from 'react';
import type * as api from '#api';
import { onDemand } from '#parts';
import { t } from '#texts';

const RegisterPatientDialog = onDemand(async () => (await import('./register-patient')).RegisterPatientDialog);

interface Registering {
  /** Opens the registration with what was typed to find the person. */
  register: (typed: string) => void;
  isRegistering: boolean;
  dialog: ReactNode;
}

interface WhoIsMeant {
  /** Somebody who has just been registered, or who is on file already. */
  onPatient: (patient: api.PatientRecord | api.Duplicate) => void;
  /** What the button of somebody who is on file says. */
  choose?: string;
}

/** Registers over the page whom nobody on file matches. */
export function useRegistering({ onPatient, choose }: WhoIsMeant): Registering {
  const [typed, register] = useState<string | null>(null);
  const close = () => register(null);
  const done: WhoIsMeant['onPatient'] = (patient) => {
    close();
    onPatient(patient);
  };
  const dialog = typed !== null && (
    <Suspense fallback={null}>
      <RegisterPatientDialog
        opened
        typed={typed}
        choose={choose}
        onRegistered={done}
        onExisting={done}
        onClose={close}
      />
    </Suspense>
  );
  return { register, isRegistering: typed !== null, dialog };
}

/** How that is offered after who was found by the text, or by one that is similar. */
export const registerLabel = (text: string, found: readonly unknown[]): string =>
  found.length === 0 ? t`No patient matches: register “${text}”` : t`Register “${text}”`;
