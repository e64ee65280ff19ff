import { Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { detailsOf, FormFooter, itemsOf, StoredSettings, useAction, useSaved } from '#forms';
import { AdminOnly, sayFailed, Section } from '#parts';
import { t } from '#texts';

type ClosedDay = api.ClosedDays['items'][number];

/** The days on which the whole clinic is closed, a line for each. */
export function ClosedDays() {
  return (
    <StoredSettings query={useQuery({ ...api.getIntegrationsClosedDaysOptions(), select: itemsOf })} editor={Editor} />
  );
}

function Editor({ stored }: { stored: ClosedDay[] }) {
  const [text, setText] = useState(textOf(stored));
  const saved = useSaved();
  const items = daysIn(text);
  const save = useAction(api.putIntegrationsClosedDaysMutation(), {
    done: t`Saved. Nothing can be booked on these days from now on.`,
    onDone: saved,
    onRefused: (error) => {
      if (detailsOf(error).length === 0) sayFailed(error);
    },
  });
  const refused = detailsOf(save.error).map(({ path, message }) => {
    const line = Number(/^items\.(\d+)/.exec(path)?.[1] ?? Number.NaN) + 1;
    return Number.isNaN(line) ? t`The list ${message}` : t`Line ${line} ${message}`;
  });
  return (
    <Section
      title={t`Days on which the clinic is closed`}
      lead={t`Nobody can be booked on them, whatever hours somebody has. What is booked stays. Patients are called by the calling policy all the same.`}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (items) save.mutate({ body: { items } });
        }}
      >
        <Stack>
          <AdminOnly>
            <Textarea
              label={t`Closed days`}
              description={t`A day each line, as 2026-12-25 Christmas Day`}
              autosize
              minRows={2}
              value={text}
              error={items ? refused.join('. ') || null : t`Each line begins with a date, then what the day is called`}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          </AdminOnly>
          <FormFooter label={t`Save closed days`} isDirty={text !== textOf(stored)} isSaving={save.isPending} />
        </Stack>
      </form>
    </Section>
  );
}

const textOf = (days: ClosedDay[]): string => days.map(({ date, name }) => `${date} ${name}`).join('\n');

/** Null where a line cannot be read; whether there is such a date is for the service to say. */
function daysIn(text: string): ClosedDay[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const read = lines.map((line) => /^(\d{4}-\d\d-\d\d)\s+(\S.*)$/.exec(line.trim()));
  if (read.includes(null)) return null;
  return read.flatMap((match) => (match ? [{ date: match[1] ?? '', name: match[2] ?? '' }] : []));
}
