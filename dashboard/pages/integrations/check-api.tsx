import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { postIntegrationsApprovedApiCheckMutation } from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { detailsOf } from '../../parts/refusal';
import { sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';

/** Asks the API what will work with the settings as they are saved. */
export function CheckApi({ isSaved }: { isSaved: boolean }) {
  const check = useMutation({ ...postIntegrationsApprovedApiCheckMutation(), onError: sayFailed });
  return (
    <Section
      title="Check"
      lead="Asks for a token, reads what a FHIR server declares, and tries each row of the lists by one request. Nothing is changed there."
    >
      <Stack gap="sm">
        <AdminOnly>
          <Button variant="default" loading={check.isPending} disabled={!isSaved} onClick={() => check.mutate({})}>
            Check
          </Button>
        </AdminOnly>
        {!isSaved && (
          <Text size="sm" c="dimmed">
            Save to check.
          </Text>
        )}
        <div role="status">{isSaved && check.data && <Checked check={check.data} />}</div>
      </Stack>
    </Section>
  );
}

function Checked({ check: { passed, findings } }: { check: Api.ApprovedApiCheck }) {
  const problems = findings.filter(({ isProblem }) => isProblem);
  const notes = findings.filter(({ isProblem }) => !isProblem);
  return (
    <Stack gap="sm">
      {passed && <Alert color="green">Nothing stands in the way.</Alert>}
      {problems.length > 0 && <Findings title="What will not work" color="red" findings={problems} />}
      {notes.length > 0 && <Findings title="What was found" color="blue" findings={notes} />}
    </Stack>
  );
}

/** Why the server was not switched on. */
export function Refused({ error }: { error: unknown }) {
  const findings = detailsOf(error);
  if (findings.length === 0) return null;
  return <Findings title="The server stays switched off" color="red" findings={findings} />;
}

function Findings({
  title,
  color,
  findings,
}: {
  title: string;
  color: string;
  findings: { path: string; message: string }[];
}) {
  return (
    <Alert color={color} title={title}>
      <List size="sm">
        {findings.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
