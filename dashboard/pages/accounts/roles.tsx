import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { PlainList } from '#lists';
import { Loaded, type Right, roleNames, Section } from '#parts';
import { t } from '#texts';
import { Name, Small } from '#words';

const opens: Record<Right, string> = {
  dashboard: t`Sign in, save views, see who works here`,
  'patients.read': t`See patients and opt-outs`,
  patients: t`Add and change patients, note and lift opt-outs`,
  'appointments.read': t`See the calendar and the waitlist`,
  appointments: t`Book, move and cancel appointments`,
  workflows: t`See cases, calls and runs; cancel single runs`,
  tasks: t`Work on tasks`,
  deliveries: t`See deliveries, and send single ones again`,
  results: t`See and export results`,
  exports: t`Export a patient, and the opt-outs`,
  privacy: t`Erase patients, place legal holds`,
  operations: t`Pause calls, work on many records at once, import opt-outs, book against the rules`,
  events: t`Send events in: systems only, by a key`,
  sandbox: t`Use the sandbox, scenes and readiness runs`,
  'settings.read': t`See settings, never a secret`,
  settings: t`Change settings`,
  keys: t`Create and revoke keys and secrets`,
  people: t`Manage accounts and roles`,
  audit: t`See and export the audit`,
};

/** What a person may be, the least first. */
export const roleOptions = (['auditor', 'staff', 'manager', 'admin'] as const).map((value) => ({
  value,
  label: roleNames[value],
}));

/** What each role may do, as the service itself says. */
export const Roles = () => (
  <Section title={t`Roles`} lead={t`What each role may do. A person has one role.`}>
    <Loaded query={useQuery({ ...api.getRightsOptions(), staleTime: Infinity })}>
      {({ items }) => (
        <PlainList label={t`Roles`}>
          {items.map(({ right, roles }) => (
            <Box key={right}>
              <Name>{opens[right]}</Name>
              <Small>{roles.length === 0 ? t`No role` : roles.map((role) => roleNames[role]).join(', ')}</Small>
            </Box>
          ))}
        </PlainList>
      )}
    </Loaded>
  </Section>
);
