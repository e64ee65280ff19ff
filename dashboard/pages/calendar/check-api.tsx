import * as api from '#api';
import { detailsOf, Findings, SettingsCheck, useAction } from '#forms';
import { t } from '#texts';

/** Asks the API what will work with the settings as they are saved. */
export const CheckApi = ({ isSaved }: { isSaved: boolean }) => (
  <SettingsCheck
    lead={t`Asks for a token, reads what a FHIR server declares, and tries each row of the lists by one request. Nothing is changed there.`}
    isSaved={isSaved}
    action={useAction(api.postIntegrationsApprovedApiCheckMutation())}
    words={{ passed: t`No problems found.`, problems: t`What will not work`, notes: t`What was found` }}
    notesColor="blue"
  />
);

/** Why the server was not switched on. */
export function Refused({ error }: { error: unknown }) {
  const findings = detailsOf(error);
  if (findings.length === 0) return null;
  return <Findings title={t`The server stays switched off`} color="red" findings={findings} />;
}
