import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { postIntegrationsApprovedApiCheckMutation } from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { detailsOf } from '../../parts/refusal';
import { sayFailed } from '../../parts/say';
import { Findings, SettingsCheck } from '../../parts/settings-check';

/** Asks the API what will work with the settings as they are saved. */
export function CheckApi({ isSaved }: { isSaved: boolean }) {
  const { mutate, isPending, data } = useMutation({
    ...postIntegrationsApprovedApiCheckMutation(),
    onError: sayFailed,
  });
  return (
    <SettingsCheck
      lead={t`Asks for a token, reads what a FHIR server declares, and tries each row of the lists by one request. Nothing is changed there.`}
      isSaved={isSaved}
      isPending={isPending}
      onCheck={() => mutate({})}
    >
      {data && <Checked check={data} />}
    </SettingsCheck>
  );
}

function Checked({ check: { passed, findings } }: { check: Api.ApprovedApiCheck }) {
  const problems = findings.filter(({ isProblem }) => isProblem);
  const notes = findings.filter(({ isProblem }) => !isProblem);
  return (
    <Stack gap="sm">
      {passed && (
        <Alert color="green">
          <Trans>Nothing stands in the way.</Trans>
        </Alert>
      )}
      {problems.length > 0 && <Findings title={t`What will not work`} color="red" findings={problems} />}
      {notes.length > 0 && <Findings title={t`What was found`} color="blue" findings={notes} />}
    </Stack>
  );
}

/** Why the server was not switched on. */
export function Refused({ error }: { error: unknown }) {
  const findings = detailsOf(error);
  if (findings.length === 0) return null;
  return <Findings title={t`The server stays switched off`} color="red" findings={findings} />;
}
