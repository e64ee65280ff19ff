import { type CheckedSettings, detailsOf, Findings, SettingsCheck } from '#forms';
import { t } from '#texts';

/** Asks the API what will work with the settings as they are saved. */
export const CheckApi = ({ isSaved, check }: { isSaved: boolean; check: Check }) => (
  <SettingsCheck
    lead={t`Asks for a token, reads what a FHIR server declares, and tries each row of the lists by one request. Nothing is changed there.`}
    isSaved={isSaved}
    action={check}
    words={{ passed: t`No problems found.`, problems: t`What will not work`, notes: t`What was found` }}
    notesColor="blue"
    say={sentenceOf}
  />
);

type Check = Parameters<typeof CheckedSettings>[0]['action'];

/** What was found of the address names it; all else says itself what it is about. */
const sentenceOf = ({ path, message }: { path: string; message: string }) =>
  path === 'baseUrl' ? t`The address ${message}` : message;

/** Why the server was not switched on. */
export function Refused({ error }: { error: unknown }) {
  const findings = detailsOf(error);
  if (findings.length === 0) return null;
  return <Findings title={t`The server stays switched off`} color="red" findings={findings} say={sentenceOf} />;
}
