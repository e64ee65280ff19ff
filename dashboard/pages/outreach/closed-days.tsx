import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import {
  changedIn,
  detailsOf,
  FormFooter,
  isOther,
  itemsOf,
  refusedAt,
  StoredSettings,
  useAction,
  useSaved,
} from '#forms';
import { IconPlus, IconTrash } from '#icons';
import { AdminOnly, PlainButton, Refusal, sayFailed, Section } from '#parts';
import { t } from '#texts';
import { formatDay, Small, useToday } from '#words';

type ClosedDay = api.ClosedDays['items'][number];

/** The days on which the whole clinic is closed. */
export function ClosedDays() {
  return (
    <StoredSettings query={useQuery({ ...api.getIntegrationsClosedDaysOptions(), select: itemsOf })} editor={Editor} />
  );
}

function Editor({ stored }: { stored: ClosedDay[] }) {
  const [days, setDays] = useState(stored);
  const saved = useSaved();
  const save = useAction(api.putIntegrationsClosedDaysMutation(), {
    done: t`Saved. Nothing can be booked on these days from now on.`,
    onDone: saved,
    onRefused: (error) => {
      if (detailsOf(error).length === 0) sayFailed(error);
    },
  });
  const others = detailsOf(save.error).filter(({ path }) => !/^items\.\d+\.(?:date|name)$/.test(path));
  const change = (index: number, to: Partial<ClosedDay>) =>
    setDays(days.map((day, at) => (at === index ? { ...day, ...to } : day)));
  return (
    <Section
      title={t`Days on which the clinic is closed`}
      lead={t`Nobody can be booked on them, whatever hours somebody has. What is booked stays. Patients are called by the calling policy all the same.`}
      actions={
        <PlainButton
          label={t`Add a day`}
          icon={IconPlus}
          onClick={() => setDays([...days, { date: '', name: '' }])}
          isForAdmins
        />
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // In the order in which the service names what it refuses; a day without a date stays at the end, where it was added.
          const items = days.toSorted((one, other) => (one.date || 'later').localeCompare(other.date || 'later'));
          setDays(items);
          save.mutate({ body: { items } });
        }}
      >
        <Stack>
          <AdminOnly>
            <Stack gap="xs">
              <Holidays days={days} onAdd={(added) => setDays([...days, ...added])} />
              {days.map(({ date, name }, index) => (
                <Group key={index} gap="xs" align="flex-start">
                  <TextInput
                    type="date"
                    // A day that was added is filled in next.
                    autoFocus={date === ''}
                    aria-label={t`Date ${index + 1}`}
                    w={{ base: 138, xs: 160 }}
                    value={date}
                    error={refusedAt(save.error, `items.${index}.date`)}
                    onChange={({ currentTarget }) => change(index, { date: currentTarget.value })}
                  />
                  <TextInput
                    aria-label={t`Name of day ${index + 1}`}
                    placeholder={t`What the day is called`}
                    // On a phone in a line of its own.
                    flex="1 1 200px"
                    maw={360}
                    value={name}
                    error={refusedAt(save.error, `items.${index}.name`)}
                    onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
                  />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="input-sm"
                    aria-label={t`Remove ${name || date}`}
                    onClick={() => setDays(days.filter((_, at) => at !== index))}
                  >
                    <IconTrash size={18} />
                  </ActionIcon>
                </Group>
              ))}
              {others.length > 0 && <Refusal>{others.map(({ message }) => t`The list ${message}`).join('. ')}</Refusal>}
            </Stack>
          </AdminOnly>
          <FormFooter
            label={t`Save closed days`}
            isDirty={isOther(days, stored)}
            changed={changedIn(days, stored, ({ name, date }) => name || date || t`a new day`)}
            isSaving={save.isPending}
            isTypedSince={save.isPending && isOther(days, save.variables.body.items)}
          />
        </Stack>
      </form>
    </Section>
  );
}

/** Public holidays of the clinic's country that are to come and are not on the list; above it, which may be long. */
function Holidays({ days, onAdd }: { days: ClosedDay[]; onAdd: (added: ClosedDay[]) => void }) {
  const today = useToday();
  const year = Number(today.slice(0, 4));
  const thisYear = useQuery(api.getIntegrationsHolidaysOptions({ query: { year } }));
  const nextYear = useQuery(api.getIntegrationsHolidaysOptions({ query: { year: year + 1 } }));
  const coming = [thisYear, nextYear]
    .flatMap(({ data }) => data?.items ?? [])
    .filter(({ date }) => date > today && !days.some((day) => day.date === date))
    .slice(0, 12);
  if (coming.length === 0) return null;
  return (
    <Stack gap={6} mb="sm">
      <Text size="sm" fw={600}>{t`Public holidays to come`}</Text>
      <Small>{t`Those of the whole country. Add those of your region by their date.`}</Small>
      <Group gap={6}>
        <Button size="compact-sm" variant="light" onClick={() => onAdd(coming)}>
          {t`Add all ${coming.length}`}
        </Button>
        {coming.map((day) => (
          <Button
            key={day.date}
            size="compact-sm"
            variant="default"
            maw="100%"
            h="auto"
            mih={26}
            styles={{ label: { whiteSpace: 'normal' } }}
            onClick={() => onAdd([day])}
          >
            + {formatDay(`${day.date}T12:00:00Z`, 'UTC', 'numeric')} · {day.name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
