import { ActionIcon, Autocomplete, Box, Checkbox, Select, Stack, Switch, TextInput } from '@mantine/core';
import type * as api from '#api';
import { type FilledForm } from '#forms';
import { IconPlus, IconTrash } from '#icons';
import { AdminOnly, PlainButton, Section } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import classes from '../voice/phone-numbers.module.css';
import { FillMappings } from './fill-mappings';
import { OfferedVisitTypes, useKnownVisitTypes } from './offered-visit-types';
import { fhirActions, listLabels, type Values } from './approved-api-values';

type Form = FilledForm<Values>;

/** A new row of each list. */
const blankRows = {
  headers: { name: '', value: '' },
  'fhir.providers': { name: '', reference: '' },
  'fhir.visitTypes': { name: '', system: '', code: '' },
  'fhir.locations': { name: '', reference: '' },
};

/** What is done at a FHIR server, and what our names are called there. */
export function FhirServer({
  form,
  isSaved,
  capabilities,
}: {
  form: Form;
  isSaved: boolean;
  capabilities: api.ApprovedApiSettings['capabilities'];
}) {
  const { providers, visitTypes, locations } = form.values.fhir;
  const known = useKnownVisitTypes({ isWanted: isSaved });
  return (
    <>
      <Section title={t`Actions in the EHR`} lead={t`Only what is ticked is ever done.`} isForAdmins gap="md">
        {fhirActions.map(({ name, what }, index) => (
          <Checkbox
            key={name}
            label={`${what} (${name})`}
            {...form.getInputProps(`fhir.permitted.${index}`, { type: 'checkbox' })}
          />
        ))}
        <Select
          label={t`An appointment that is moved`}
          data={[
            { value: 'update', label: t`stays the same one, with another time` },
            { value: 'cancel-and-rebook', label: t`is booked anew, and the old one cancelled` },
          ]}
          allowDeselect={false}
          {...form.getInputProps('fhir.rescheduling')}
        />
        <Switch
          label={t`Write to the EHR`}
          description={t`Can be switched on once the check finds no problem. Off: nothing is written`}
          {...form.getInputProps('fhir.isOn', { type: 'checkbox' })}
        />
        <Switch
          description={t`Real calls look up, offer, book, move and cancel there while the patient is on the line, and not in the sandbox. Needs the server to be told, and a check that passes; off: it hears of it after the call`}
          {...form.box('fhir.isLive')}
        />
        <TextInput
          placeholder="Patient/123"
          description={t`A patient there who is nobody, made for tests. Where calls act there, “Call me” books, moves, cancels and notes for this one, before any patient is called`}
          {...form.field('fhir.testPatient')}
        />
        {capabilities && <Small>{sentenceOf(capabilities)}</Small>}
      </Section>
      <FillMappings form={form} isSaved={isSaved} />
      <Section
        title={t`Providers in the EHR`}
        lead={t`Each of your providers needs a row, or nothing booked with them is written.`}
        flush
      >
        <RowList form={form} list="fhir.providers" add={t`Add a provider`} rows={providers} />
      </Section>
      <Section title={t`Visit types in the EHR`} lead={t`Without a row a visit type is sent as words only.`} flush>
        <OfferedVisitTypes form={form} isSaved={isSaved} />
        <RowList
          form={form}
          list="fhir.visitTypes"
          add={t`Type one that is not in the EHR yet`}
          rows={visitTypes}
          names={known.data?.here}
        />
      </Section>
      <Section
        title={t`Locations in the EHR`}
        lead={t`By the location that a patient prefers; the only one goes for everybody.`}
        flush
      >
        <RowList form={form} list="fhir.locations" add={t`Add a location`} rows={locations} />
      </Section>
    </>
  );
}

/** How the server is spoken to, as the check has found it. */
function sentenceOf({ canBook, canHold, hasSlots }: NonNullable<api.ApprovedApiSettings['capabilities']>): string {
  const booking = canBook ? (canHold ? t`$book after $hold` : '$book') : t`a conditional create`;
  const slots = hasSlots ? t`a free slot is looked up first` : t`it has no slots to look up`;
  return t`At the last check: booked by ${booking}; ${slots}.`;
}

interface RowListProps {
  form: Form;
  list: keyof typeof listLabels;
  add: string;
  rows: Record<string, string>[];
  /** Names to choose from, where others can be typed too. */
  names?: string[];
}

/** Rows of a list, to be added and taken away. */
export function RowList({ form, list, add, rows, names }: RowListProps) {
  const labels: Record<string, string> = listLabels[list];
  const addRow = () => form.insertListItem(list, { ...blankRows[list] });
  return (
    <Box p="md">
      <AdminOnly>
        <Stack gap="sm">
          {rows.map((row, index) => (
            <div key={index} className={classes.number}>
              {Object.entries(labels).map(([field, label]) => {
                const input = { label, ...form.getInputProps(`${list}.${index}.${field}`) };
                if (field === 'name' && names) return <Autocomplete key={field} data={names} {...input} />;
                return (
                  <TextInput
                    key={field}
                    autoComplete="off"
                    placeholder={list === 'headers' && field === 'value' ? t`Empty: the one that is stored` : undefined}
                    {...input}
                  />
                );
              })}
              <ActionIcon
                variant="default"
                size={36}
                className={classes.remove}
                aria-label={t`Remove ${row['name'] || t`the row`} from the list`}
                onClick={() => form.removeListItem(list, index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </div>
          ))}
          <div>
            <PlainButton label={add} icon={IconPlus} onClick={addRow} />
          </div>
        </Stack>
      </AdminOnly>
    </Box>
  );
}
