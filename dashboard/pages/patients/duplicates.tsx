import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import type { Ref } from 'react';
import type * as api from '#api';
import { plural, t } from '#texts';
import { Born, Name, nameOf, Phone } from '#words';

interface DuplicatesProps {
  items: api.Duplicate[];
  onChoose: (patient: api.Duplicate) => void;
  choose?: string;
  title?: string;
  /** The button of the likeliest. */
  first?: Ref<HTMLButtonElement>;
}

/** Who on file may be the same person, what agrees, and the way to them. */
export const Duplicates = ({
  items,
  onChoose,
  choose = t`Open this one instead`,
  title = plural(items.length, { one: 'Somebody like this is on file', other: '# people like this are on file' }),
  first,
}: DuplicatesProps) =>
  items.length > 0 && (
    <Alert color="yellow" role="status" title={title}>
      <Stack gap="xs">
        {items.map((patient, index) => (
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
              <Text size="xs">{saidOf(patient)}</Text>
            </Box>
            <Button
              ref={index === 0 ? first : undefined}
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

type Likeness = api.Duplicate['alike'][number];

const likenesses: Record<Likeness, { same: string; similar: string }> = {
  name: { same: t`name`, similar: t`Similar name` },
  birthDate: { same: t`birth date`, similar: t`Similar birth date` },
  phone: { same: t`phone`, similar: t`Similar phone` },
  email: { same: t`e-mail`, similar: t`Similar e-mail` },
};

function saidOf({ alike, similar }: Pick<api.Duplicate, 'alike' | 'similar'>): string {
  const same = alike.filter((each) => !similar.includes(each)).map((each) => likenesses[each].same);
  const parts = same.length > 0 ? [t`The same: ${same.join(', ')}`] : [];
  return [...parts, ...similar.map((each) => likenesses[each].similar)].join(' · ');
}
