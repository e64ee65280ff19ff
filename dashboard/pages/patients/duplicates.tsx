import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import type * as api from '#api';
import { plural, t } from '#texts';
import { Born, Name, nameOf, Phone } from '#words';

interface DuplicatesProps {
  items: api.Duplicate[];
  onChoose: (patient: api.Duplicate) => void;
  choose?: string;
  title?: string;
}

/** Who on file may be the same person, what agrees, and the way to them. */
export const Duplicates = ({
  items,
  onChoose,
  choose = t`Open this one instead`,
  title = plural(items.length, { one: 'Somebody like this is on file', other: '# people like this are on file' }),
}: DuplicatesProps) =>
  items.length > 0 && (
    <Alert color="yellow" role="status" title={title}>
      <Stack gap="xs">
        {items.map((patient) => (
          <Group key={patient.id} justify="space-between" gap="xs">
            <Box style={{ overflowWrap: 'anywhere' }}>
              <Name>
                {nameOf(patient)}
                {patient.registrationStatus === 'ACTION_REQUIRED' && ` (${t`known only from a form or call`})`}
              </Name>
              <Text size="sm" component="div">
                {patient.phone && <Phone number={patient.phone} />}
                {patient.phone && patient.dateOfBirth && ' · '}
                {patient.dateOfBirth && <Born on={patient.dateOfBirth} />}
              </Text>
              <Text size="xs">{t`The same: ${patient.alike.map((each) => likenesses[each]).join(', ')}`}</Text>
            </Box>
            <Button
              size="xs"
              variant="default"
              aria-label={`${choose}: ${nameOf(patient)}`}
              onClick={() => onChoose(patient)}
            >
              {choose}
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );

const likenesses: Record<api.Duplicate['alike'][number], string> = {
  name: t`name`,
  birthDate: t`birth date`,
  phone: t`phone`,
  email: t`e-mail`,
};
