import { Alert, List, Stack } from '@mantine/core';
import { Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { ActionButton } from './action-button';

interface Finding {
  path: string;
  message: string;
}

interface Check<Found extends Finding> {
  passed: boolean;
  findings: (Found & { isProblem: boolean })[];
}

interface CheckedSettingsProps<Found extends Finding> {
  isSaved: boolean;
  action: { mutate: (request: object) => void; isPending: boolean; data: Check<Found> | undefined };
  words: { passed: string; problems: string; notes: string };
  notesColor?: string;
  /** Puts a finding into words where its message alone does not. */
  say?: (finding: Found) => string;
}

/** Has another system asked about settings as they are saved, and shows what came of it, in a panel of its own. */
export const SettingsCheck = <Found extends Finding>({
  lead,
  ...check
}: CheckedSettingsProps<Found> & { lead: string }) => (
  <Section title={t`Check`} lead={lead} gap="sm">
    <CheckedSettings {...check} />
  </Section>
);

/** The same within a panel. */
export function CheckedSettings<Found extends Finding>({
  isSaved,
  action,
  words,
  notesColor = 'yellow',
  say,
}: CheckedSettingsProps<Found>) {
  const { passed = false, findings = [] } = action.data ?? {};
  const problems = findings.filter(({ isProblem }) => isProblem);
  const notes = findings.filter(({ isProblem }) => !isProblem);
  return (
    <>
      <ActionButton action={action} request={{}} disabled={!isSaved} label={t`Check`} isForAdmins />
      {!isSaved && <Quiet>{t`Save to check.`}</Quiet>}
      <Stack gap="sm" role="status">
        {isSaved && passed && <Alert color="green" title={words.passed} />}
        {isSaved && problems.length > 0 && (
          <Findings title={words.problems} color="red" findings={problems} say={say} />
        )}
        {isSaved && notes.length > 0 && <Findings title={words.notes} color={notesColor} findings={notes} say={say} />}
      </Stack>
    </>
  );
}

interface FindingsProps<Found extends Finding> {
  title: string;
  color: string;
  findings: Found[];
  say?: (finding: Found) => string;
}

/** What was found, a line each; `say` puts a finding into words where its message alone does not. */
export function Findings<Found extends Finding>({
  title,
  color,
  findings,
  say = ({ message }) => message,
}: FindingsProps<Found>) {
  return (
    <Alert color={color} title={title}>
      <List size="sm">
        {findings.map((finding) => (
          <List.Item key={`${finding.path} ${finding.message}`} style={{ overflowWrap: 'anywhere' }}>
            {say(finding)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
