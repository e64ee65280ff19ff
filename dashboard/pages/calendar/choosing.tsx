import { Button, Group, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type * as api from '#api';
import { FormEnd, useUnsaved } from '#forms';
import { PlainButton, Refusal } from '#parts';
import { t } from '#texts';
import { displayNameOf, useWhen } from './bookable';
import { NotInTheEhr } from './ehr';
import type { ChosenSlot } from './time-choice';

interface ChoosingProps {
  chosen: ChosenSlot | null;
  /** What was chosen and somebody else has taken since. */
  taken?: ChosenSlot | null;
  providers: api.Provider[];
  /** What the visit is for, where that is chosen too. */
  visitType?: string;
  refusal: string | null;
  /** Whether all the rest is known. */
  isReady?: boolean;
  /** Whether anything was typed or chosen. */
  isDirty: boolean;
  isSaving: boolean;
  verb: string;
  onConfirm: (slot: ChosenSlot) => void;
  onCancel: () => void;
  children: ReactNode;
}

/** What a time is chosen in: the refusal of the last one, and the button that takes the one that is chosen. */
export function Choosing(props: ChoosingProps) {
  const {
    chosen,
    taken,
    providers,
    visitType,
    refusal,
    isReady = true,
    isDirty,
    isSaving,
    verb,
    onConfirm,
    onCancel,
    children,
  } = props;
  const when = useWhen();
  useUnsaved(() => isDirty);
  const inWords = ({ startsAt, providerName }: ChosenSlot) =>
    t`${when(startsAt)} with ${displayNameOf(providers, providerName)}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen && isReady) onConfirm(chosen);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <NotInTheEhr />
        {children}
        {refusal && <Refusal>{refusal}</Refusal>}
        <FormEnd>
          <Group justify="space-between">
            <Text size="sm" fw={chosen ? 600 : undefined} role="status">
              {chosen
                ? [inWords(chosen), visitType].filter(Boolean).join(' · ')
                : taken
                  ? t`${when(taken.startsAt)} has just been taken: choose another time.`
                  : t`No time is chosen yet.`}
            </Text>
            <Group gap="xs" ml="auto">
              <PlainButton label={t`Close`} onClick={onCancel} />
              <Button type="submit" disabled={!chosen || !isReady} loading={isSaving}>
                {verb}
              </Button>
            </Group>
          </Group>
        </FormEnd>
      </Stack>
    </form>
  );
}
