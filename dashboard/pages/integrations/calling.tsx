import { t } from '@lingui/core/macro';
import { NativeSelect, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsRecoveryPolicyOptions,
  putIntegrationsRecoveryPolicyMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { DurationInput } from '../../parts/duration-input';
import { HoursEditor } from '../../parts/hours-editor';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { refusedUnder, showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { useZone } from '../../shell/account';
import { Pausing } from './pausing';
import { WhoIsCalled } from './who-is-called';

type Policy = Api.CallingPolicy;

const labels: Record<keyof Policy, string> = {
  firstCallDelaySeconds: t`Wait before the first call`,
  secondsBetweenAttempts: t`Wait between attempts`,
  maxAttempts: t`Attempts at most`,
  maxConcurrentCalls: t`Calls at once, at most`,
  callsPerPatientPerDay: t`Calls to one patient a day`,
  callsPerPatientPerWeek: t`Calls to one patient a week`,
  callingHours: t`Calling hours`,
  unknownZone: t`Numbers that tell no time zone`,
  simulatorKeepsPatientHours: t`Keep to the hours of patients in simulated calls too`,
  disclosesAutomation: t`Open calls by saying that an automated assistant calls for the clinic`,
};

const unknownZones: Record<Policy['unknownZone'], string> = {
  country: t`Take them to be anywhere in their country`,
  clinic: t`Take them to be where the clinic is`,
};

export function Calling() {
  const policy = useQuery(getIntegrationsRecoveryPolicyOptions());
  return (
    <Stack gap="lg">
      <Pausing />
      <Loaded query={policy}>
        {(data) => <Editable stored={data}>{(stored) => <Editor policy={stored} />}</Editable>}
      </Loaded>
    </Stack>
  );
}

/** No limit is an empty field here and null on the wire. */
const orNone = (value: number | string) => (value === '' ? null : Number(value));

function Editor({ policy }: { policy: Policy }) {
  const zone = useZone();
  const saved = useSaved();
  const form = useForm({ initialValues: policy });
  const save = useMutation({
    ...putIntegrationsRecoveryPolicyMutation(),
    async onSuccess() {
      sayDone(t`Saved. Open cases follow it from their next step.`);
      await saved();
    },
    onError: (error) => showRefusal(form, error, labels),
  });
  const { values, errors, setFieldValue } = form;
  const refusedHours = refusedUnder(save.error, 'callingHours');
  return (
    <>
      <Section
        title={t`Calling policy`}
        lead={t`When and how often patients are called about what they left unfinished.`}
      >
        <AdminOnly>
          <form onSubmit={form.onSubmit((body) => save.mutate({ body }))} noValidate>
            <Stack>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <DurationInput
                  label={labels.firstCallDelaySeconds}
                  seconds={values.firstCallDelaySeconds}
                  error={errors['firstCallDelaySeconds']}
                  onChange={(seconds) => setFieldValue('firstCallDelaySeconds', seconds)}
                />
                <DurationInput
                  label={labels.secondsBetweenAttempts}
                  seconds={values.secondsBetweenAttempts}
                  error={errors['secondsBetweenAttempts']}
                  onChange={(seconds) => setFieldValue('secondsBetweenAttempts', seconds)}
                />
                <NumberInput label={labels.maxAttempts} min={1} max={20} {...form.getInputProps('maxAttempts')} />
                <NumberInput
                  label={labels.maxConcurrentCalls}
                  min={1}
                  max={1_000}
                  {...form.getInputProps('maxConcurrentCalls')}
                />
                <NumberInput
                  label={labels.callsPerPatientPerDay}
                  description={t`Empty: no limit`}
                  min={1}
                  max={100}
                  {...form.getInputProps('callsPerPatientPerDay')}
                  value={values.callsPerPatientPerDay ?? ''}
                  onChange={(value) => setFieldValue('callsPerPatientPerDay', orNone(value))}
                />
                <NumberInput
                  label={labels.callsPerPatientPerWeek}
                  description={t`Empty: no limit`}
                  min={1}
                  max={100}
                  {...form.getInputProps('callsPerPatientPerWeek')}
                  value={values.callsPerPatientPerWeek ?? ''}
                  onChange={(value) => setFieldValue('callsPerPatientPerWeek', orNone(value))}
                />
              </SimpleGrid>
              <HoursEditor
                label={`${labels.callingHours} (${zone.replaceAll('_', ' ')})`}
                hours={values.callingHours}
                problems={refusedHours}
                onChange={(hours) => setFieldValue('callingHours', hours)}
              />
              <NativeSelect
                label={labels.unknownZone}
                description={t`Patients are called between 8:00 and 20:00 by their own clock only.`}
                data={Object.entries(unknownZones).map(([value, label]) => ({ value, label }))}
                {...form.getInputProps('unknownZone')}
              />
              <Switch
                label={labels.simulatorKeepsPatientHours}
                {...form.getInputProps('simulatorKeepsPatientHours', { type: 'checkbox' })}
              />
              <Switch
                label={labels.disclosesAutomation}
                {...form.getInputProps('disclosesAutomation', { type: 'checkbox' })}
              />
              <FormFooter isDirty={form.isDirty()} isSaving={save.isPending} />
            </Stack>
          </form>
        </AdminOnly>
      </Section>
      <WhoIsCalled policy={values} isSaved={!form.isDirty()} />
    </>
  );
}
