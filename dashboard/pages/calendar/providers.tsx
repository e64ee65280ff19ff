import { Accordion, Group, SimpleGrid, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import * as api from '#api';
import {
  changedIn,
  type Detail,
  detailsOf,
  FormFooter,
  HoursEditor,
  isOther,
  itemsOf,
  NumberField,
  refusedAt,
  refusedUnder,
  sayRefusedIn,
  StoredSettings,
  typedNumber,
  useAction,
  useSaved,
} from '#forms';
import { IconPlus, IconTrash } from '#icons';
import {
  AdminOnly,
  Empty,
  focusRefused,
  focusSoon,
  PlainButton,
  sayFailed,
  Section,
  useAccount,
  useZone,
} from '#parts';
import { t } from '#texts';
import { readDate, readStretch, zoneName } from '#words';
import { namesOf, useKnownVisitTypes } from './offered-visit-types';

type Provider = api.ProviderSettings;

const labels: Record<keyof Provider, string> = {
  name: t`Name`,
  displayName: t`Display name`,
  visitTypes: t`Visit types`,
  workingHours: t`Working hours`,
  specialDays: t`Days off and special hours`,
  noticeMinutes: t`Notice, in minutes`,
};

const emptyProvider: Provider = {
  name: '',
  displayName: '',
  workingHours: {},
  visitTypes: [],
  specialDays: {},
  noticeMinutes: 0,
};

export const Providers = () => (
  <StoredSettings query={useQuery({ ...api.getIntegrationsProvidersOptions(), select: itemsOf })} editor={Editor} />
);

/** A provider while it is edited: the special days as they are typed, and a key of its own, as others may be removed. */
interface Draft extends Omit<Provider, 'specialDays'> {
  key: number;
  days: string;
  /** A visit type that is typed and not among the others yet. */
  typedVisitType: string;
}

const draftOf = ({ specialDays, ...provider }: Provider, key: number): Draft => ({
  ...provider,
  key,
  days: textOf(specialDays),
  typedVisitType: '',
});

/** The list as it is edited, and what is done to it. */
function useDrafts(stored: Provider[]) {
  const [items, setItems] = useState(stored.map(draftOf));
  const [sent, setSent] = useState(items);
  const [opened, setOpened] = useState<string | null>(null);
  const { isMonthFirst } = useAccount().clinic;
  const saved = useSaved();
  const save = useAction(api.putIntegrationsProvidersMutation(), {
    done: t`Saved. Search and booking follow the new hours at once.`,
    onDone: saved,
    onRefused(error) {
      sayRefusedIn(error, labels);
      // What was refused is not left inside a closed part of the list.
      const [, index] = /^items\.(\d+)\./.exec(detailsOf(error)[0]?.path ?? '') ?? [];
      const refused = items[Number(index)];
      if (refused) setOpened(String(refused.key));
    },
  });
  const change = (key: number, part: Partial<Draft>) =>
    // A field may change two parts of it at once.
    setItems((now) => now.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const remove = (key: number) => {
    // The service's words name lines that are others now.
    save.reset();
    setItems(items.filter((each) => each.key !== key));
  };
  const add = () => {
    const key = Math.max(-1, ...items.map((each) => each.key)) + 1;
    setItems([...items, draftOf(emptyProvider, key)]);
    setOpened(String(key));
  };
  const submit = (form: HTMLFormElement) => {
    const unreadable = items.find(({ days }) => 'problem' in daysIn(days, isMonthFirst));
    if (unreadable) {
      setOpened(String(unreadable.key));
      sayFailed({ message: t`Nothing is saved: ${labels.specialDays}, ${unreadable.displayName || t`new provider`}` });
      focusRefused(form);
      return;
    }
    // Without a name the service makes one of the display name.
    const body = items.map(({ key: _key, name, days, typedVisitType: _typed, ...each }) => {
      const read = daysIn(days, isMonthFirst);
      return { ...each, ...(name && { name }), ...('days' in read && { specialDays: read.days }) };
    });
    setSent(items);
    save.mutate({ body: { items: body } });
  };
  const drafts = stored.map(draftOf);
  const isDirty = isOther(items, drafts);
  const isTypedSince = save.isPending && isOther(items, sent);
  const nameOf = ({ key, displayName }: Draft) => drafts[key]?.displayName || displayName || t`new provider`;
  const changed = changedIn(items, drafts, nameOf);
  return { items, opened, setOpened, save, change, remove, add, submit, isDirty, isTypedSince, changed };
}

function Editor({ stored }: { stored: Provider[] }) {
  const { items, opened, setOpened, save, change, remove, add, submit, isDirty, isTypedSince, changed } =
    useDrafts(stored);
  const form = useRef<HTMLFormElement>(null);
  const addAndFill = () => {
    add();
    focusSoon(() => form.current?.querySelector<HTMLElement>('[data-active] input'));
  };
  return (
    <Section
      title={t`Providers`}
      lead={t`Who can be booked, and when. Booked appointments stay as they are when hours change.`}
      flush
      actions={<PlainButton label={t`Add a provider`} icon={IconPlus} onClick={addAndFill} isForAdmins />}
    >
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        {items.length === 0 ? (
          <Empty title={t`No provider`}>{t`Without providers nothing can be booked.`}</Empty>
        ) : (
          <Accordion value={opened} onChange={setOpened} chevronPosition="left">
            {items.map((provider, index) => (
              <Accordion.Item key={provider.key} value={String(provider.key)}>
                <Accordion.Control>
                  <Text size="sm" fw={500} component="span">
                    {provider.displayName || t`New provider`}
                  </Text>{' '}
                  <Text size="xs" c="dimmed" component="span">
                    {provider.name}
                  </Text>
                </Accordion.Control>
                <Accordion.Panel>
                  <AdminOnly>
                    <ProviderFields
                      provider={provider}
                      errorOf={(field) => refusedAt(save.error, `items.${index}.${field}`)}
                      problemsOf={(field) => refusedUnder(save.error, `items.${index}.${field}`)}
                      onChange={(part) => change(provider.key, part)}
                      onRemove={() => remove(provider.key)}
                    />
                  </AdminOnly>
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
        <FormFooter
          place="list"
          label={t`Save all providers`}
          isDirty={isDirty}
          changed={changed}
          isSaving={save.isPending}
          isTypedSince={isTypedSince}
        />
      </form>
    </Section>
  );
}

interface ProviderFieldsProps {
  provider: Draft;
  errorOf: (field: keyof Provider) => string | null;
  /** What was refused in a field that holds several, by the path from there. */
  problemsOf: (field: keyof Provider) => Detail[];
  onChange: (part: Partial<Draft>) => void;
  onRemove: () => void;
}

function ProviderFields({ provider, errorOf, problemsOf, onChange, onRemove }: ProviderFieldsProps) {
  const zone = useZone();
  const known = useKnownVisitTypes();
  const { isMonthFirst } = useAccount().clinic;
  const read = daysIn(provider.days, isMonthFirst);
  const [oneDay, another] = isMonthFirst ? ['12/24/2026', '12/23/2026'] : ['24/12/2026', '23/12/2026'];
  // What is wrong with all of them names the day itself.
  const refusedDays = problemsOf('specialDays').map(({ path, message }) =>
    path === '' ? message : `${path.split('.')[0]} ${message}`,
  );
  return (
    <Stack>
      <Names provider={provider} errorOf={errorOf} onChange={onChange} />
      <TagsInput
        label={labels.visitTypes}
        error={errorOf('visitTypes')}
        description={t`Chosen from those on record and those of your EHR; others can be typed`}
        data={namesOf(known.data)}
        value={provider.visitTypes}
        onChange={(visitTypes) => onChange({ visitTypes })}
        // What is typed is a change before it is one of them, which it is as soon as the field is left.
        searchValue={provider.typedVisitType}
        onSearchChange={(typedVisitType) => onChange({ typedVisitType })}
        clearButtonProps={{ 'aria-label': t`Remove all visit types` }}
      />
      <HoursEditor
        label={`${labels.workingHours} (${zoneName(zone)})`}
        hours={provider.workingHours}
        problems={problemsOf('workingHours')}
        onChange={(workingHours) => onChange({ workingHours })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Textarea
          label={labels.specialDays}
          description={t`A day each line: ${oneDay} off, or ${another} 9-12 13:00-15:30`}
          // Not as high as its text: with what was read written anew, what is pressed next would move away under the pointer.
          rows={4}
          resize="vertical"
          value={provider.days}
          error={'problem' in read ? read.problem : [...new Set(refusedDays)].join('. ') || null}
          onChange={({ currentTarget }) => onChange({ days: currentTarget.value })}
          // What was read stands there then, so that nobody wonders which number is the month.
          onBlur={() => 'days' in read && onChange({ days: textOf(read.days) })}
        />
        <NumberField
          label={labels.noticeMinutes}
          description={t`How long before it begins a time can still be booked`}
          min={0}
          max={60 * 24 * 60}
          allowDecimal={false}
          value={provider.noticeMinutes}
          error={errorOf('noticeMinutes')}
          onChange={(minutes) => onChange({ noticeMinutes: typedNumber(minutes) ?? 0 })}
        />
      </SimpleGrid>
      <Group>
        <PlainButton label={t`Remove from the list`} icon={IconTrash} onClick={onRemove} />
      </Group>
    </Stack>
  );
}

const Names = ({
  provider,
  errorOf,
  onChange,
}: Pick<Parameters<typeof ProviderFields>[0], 'provider' | 'errorOf' | 'onChange'>) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <TextInput
      label={labels.name}
      description={t`In addresses and ids; left empty, it is made of the display name`}
      placeholder="Dr.Chen"
      value={provider.name}
      error={errorOf('name')}
      onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
    />
    <TextInput
      label={labels.displayName}
      description={t`As it is said on the phone`}
      placeholder={t`Dr. Maya Chen`}
      value={provider.displayName}
      error={errorOf('displayName')}
      onChange={({ currentTarget }) => onChange({ displayName: currentTarget.value })}
    />
  </SimpleGrid>
);

const textOf = (days: Provider['specialDays']): string =>
  Object.entries(days)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([date, intervals]) => {
      const hours = intervals.map(({ opens, closes }) => `${opens}-${closes}`);
      return `${date} ${hours.length === 0 ? 'off' : hours.join(' ')}`;
    })
    .join('\n');

/** What the lines say, or which of them cannot be read; whether it makes sense is for the service to say. */
function daysIn(text: string, isMonthFirst: boolean): { days: Provider['specialDays'] } | { problem: string } {
  const days: Provider['specialDays'] = {};
  for (const [index, line] of text.split('\n').entries()) {
    const [written = '', ...hours] = partsOf(line);
    if (written === '') continue;
    const date = readDate(written, isMonthFirst);
    const isOff = hours.length === 1 && hours[0]?.toLowerCase() === 'off';
    const read = isOff ? [] : hours.map(readStretch);
    const stretches = read.filter((stretch) => stretch !== null);
    if (date === null && /^\d+([/.-])\d+\1\d+$/.test(written))
      return { problem: t`Line ${index + 1}: there is no day ${written}` };
    if (date === null || hours.length === 0 || stretches.length < read.length)
      return { problem: t`Line ${index + 1} must be a date, then off or hours as 09:00-12:00` };
    if (Object.hasOwn(days, date))
      return { problem: t`Line ${index + 1} names ${date} again: write one line for a day` };
    days[date] = stretches;
  }
  return { days };
}

/** `24/12/2026  9 am – 12, 13-15` in its parts: the date, and each stretch of hours. */
const partsOf = (line: string): string[] =>
  line
    .replaceAll(/\s*[-–]\s*/g, '-')
    .replaceAll(/\s+(?=[ap]\.?m\b)/gi, '')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
