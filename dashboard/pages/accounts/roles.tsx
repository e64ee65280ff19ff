import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { IconCheck } from '#icons';
import { Loaded, type Right, roleNames, Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';

const roles = ['admin', 'manager', 'staff', 'auditor'] as const;

const opens: Record<Right, string> = {
  dashboard: t`Sign in, save views, see who works here`,
  'patients.read': t`See patients and opt-outs`,
  patients: t`Add and change patients, note opt-outs`,
  'appointments.read': t`See the calendar and the waitlist`,
  appointments: t`Book, move and cancel appointments`,
  workflows: t`See cases, calls and runs; cancel single runs`,
  tasks: t`Work on tasks`,
  deliveries: t`See deliveries, and send single ones again`,
  results: t`See and export results`,
  exports: t`Export a patient, and the opt-outs`,
  privacy: t`Erase patients, place legal holds`,
  operations: t`Pause calls, work on many records at once, lift opt-outs, book against the rules`,
  events: t`Send events in: systems only, by a key`,
  sandbox: t`Use the sandbox, scenes and readiness runs`,
  settings: t`See and change settings`,
  keys: t`Make and revoke keys and secrets`,
  people: t`Manage accounts and roles`,
  audit: t`See and export the audit`,
};

/** What each role may do, as the service itself says. */
export const Roles = () => (
  <Section title={t`Roles`} lead={t`What each role may do. A person has one role.`} flush>
    <Loaded query={useQuery({ ...api.getRightsOptions(), staleTime: Infinity })}>
      {({ items }) => (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing="xs" horizontalSpacing="md" aria-label={t`Roles`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t`What it opens`}</Table.Th>
                {roles.map((role) => (
                  <Table.Th scope="col" key={role}>
                    {roleNames[role]}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map(({ right, roles: having }) => (
                <Table.Tr key={right}>
                  <Table.Th scope="row" fw={400}>
                    {opens[right]}
                  </Table.Th>
                  {roles.map((role) => (
                    <Table.Td key={role}>
                      {having.includes(role) ? <IconCheck size={16} aria-label={t`yes`} /> : <Quiet>–</Quiet>}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Loaded>
  </Section>
);
