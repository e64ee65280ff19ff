import { NativeSelect, SimpleGrid, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as api from '#api';
import {
  DurationInput,
  HoursEditor,
  NumberField,
  refusedUnder,
  SettingsForm,
  StoredSettings,
  typedNumber,
  useSettingsForm,
} from '#forms';
import { Section, useMay, useZone } from '#parts';
import { t } from '#texts';
import { zoneName, optionsOf } from '#words';
import { Pausing } from './pausing';
import { WhoIsCalled } from './who-is-called';

const labels: Record<keyof api.CallingPolicy, string> = {
  firstCallDelaySeconds: t`Wait before the first call`,
  secondsBetweenAttempts: t`Wait between attempts`,
  maxAttempts: t`Maximum attempts`,
  maxConcurrentCalls: t`Maximum calls at once`,
  callsPerPatientPerDay: t`Calls to one patient a day`,
  callsPerPatientPerWeek: t`Calls to one patient a week`,
  callingHours: t`Calling hours`,
  unknownZone: t`Numbers without a known time zone`,
  simulatorKeepsPatientHours: t`Keep to the hours of patients in simulated calls too`,
  disclosesAutomation: t`Open calls by saying that an automated assistant calls for the clinic`,
  booksInOwnCalendar: t`Let calls book, move and cancel in the calendar kept here`,
  booksFollowUps: t`Let calls after a cancellation or about a care gap book for patients who have no visit`,
  confirmsBookings: t`Take bookings of callers who are not verified as requests that staff confirm`,
};

const unknownZones: Record<api.CallingPolicy['unknownZone'], string> = {
  country: t`Assume anywhere in their country`,
  clinic: t`Assume the clinic’s time zone`,
};

export const Calling = () => (
  <Stack gap="lg">
    <Pausing />
    <StoredSettings query={useQuery(api.getIntegrationsRecoveryPolicyOptions())} editor={Editor} />
  </Stack>
);

const delay = t`from none to 30 days`;

interface LimitInputProps {
  label: string;
  value?: number | null;
  error?: ReactNode;
  onChange: (value: number | null) => void;
}

/** No limit is an empty field here and null on the wire. */
const LimitInput = ({ value, onChange, ...input }: LimitInputProps) => (
  <NumberField
    description={t`Empty: no limit`}
    min={1}
    max={100}
    {...input}
    value={value ?? ''}
    onChange={(typed) => onChange(typedNumber(typed))}
  />
);

function Editor({ stored: policy }: { stored: api.CallingPolicy }) {
  const zone = useZone();
  const may = useMay();
  const form = useSettingsForm(api.putIntegrationsRecoveryPolicyMutation(), {
    initialValues: policy,
    labels,
    request: (body) => ({ body }),
    done: t`Saved. What waits for a call is decided by it now.`,
  });
  const { values, setFieldValue } = form;
  const refusedHours = refusedUnder(form.error, 'callingHours');
  return (
    <>
      <Section
        title={t`Calling policy`}
        lead={t`When and how often patients are called about what they left unfinished.`}
      >
        <SettingsForm form={form}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DurationInput limits={delay} {...form.field('firstCallDelaySeconds')} />
            <DurationInput limits={delay} {...form.field('secondsBetweenAttempts')} />
            <NumberField min={1} max={20} {...form.field('maxAttempts')} />
            <NumberField min={1} max={1_000} {...form.field('maxConcurrentCalls')} />
            <LimitInput {...form.field('callsPerPatientPerDay')} />
            <LimitInput {...form.field('callsPerPatientPerWeek')} />
          </SimpleGrid>
          <HoursEditor
            label={`${labels.callingHours} (${zoneName(zone)})`}
            hours={values.callingHours}
            problems={refusedHours}
            onChange={(hours) => setFieldValue('callingHours', hours)}
          />
          <NativeSelect
            description={t`Patients are called between 8:00 and 20:00 by their own clock only.`}
            data={optionsOf(unknownZones)}
            {...form.field('unknownZone')}
          />
          <Switch {...form.box('simulatorKeepsPatientHours')} />
          <Switch {...form.box('disclosesAutomation')} />
          <Switch {...form.box('booksInOwnCalendar')} />
          <Switch {...form.box('booksFollowUps')} />
          <Switch {...form.box('confirmsBookings')} />
        </SettingsForm>
      </Section>
      {may('settings') && <WhoIsCalled policy={values} isSaved={!form.isDirty()} />}
    </>
  );
}
