import { Button, Group, NumberInput, SimpleGrid, Stack } from '@mantine/core';
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
import { useRefresh } from '../../parts/refresh';
import { problemsUnder, showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { useZone } from '../../shell/account';

type Policy = Api.CallingPolicy;

export function Calling() {
  const policy = useQuery(getIntegrationsRecoveryPolicyOptions());
  return <Loaded query={policy}>{(data) => <Editor policy={data} key={JSON.stringify(data)} />}</Loaded>;
}

/** No limit is an empty field here and null on the wire. */
const orNone = (value: number | string) => (value === '' ? null : Number(value));

function Editor({ policy }: { policy: Policy }) {
  const zone = useZone();
  const refresh = useRefresh('integrations');
  const form = useForm({ initialValues: policy });
  const save = useMutation({
    ...putIntegrationsRecoveryPolicyMutation(),
    onSuccess: () => sayDone('Saved. Open cases follow it from their next step.'),
    onError: (error) => showRefusal(form, error, Object.keys(policy)),
    onSettled: refresh,
  });
  const { values, errors, setFieldValue } = form;
  const refusedHours = problemsUnder(save.error, 'callingHours');
  return (
    <Section title="Calling policy" lead="When and how often patients are called about what they left unfinished.">
      <AdminOnly>
        <form onSubmit={form.onSubmit((body) => save.mutate({ body }))} noValidate>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <DurationInput
                label="Wait before the first call"
                seconds={values.firstCallDelaySeconds}
                error={errors['firstCallDelaySeconds']}
                onChange={(seconds) => setFieldValue('firstCallDelaySeconds', seconds)}
              />
              <DurationInput
                label="Wait between attempts"
                seconds={values.secondsBetweenAttempts}
                error={errors['secondsBetweenAttempts']}
                onChange={(seconds) => setFieldValue('secondsBetweenAttempts', seconds)}
              />
              <NumberInput label="Attempts at most" min={1} max={20} {...form.getInputProps('maxAttempts')} />
              <NumberInput
                label="Calls at once, at most"
                min={1}
                max={1_000}
                {...form.getInputProps('maxConcurrentCalls')}
              />
              <NumberInput
                label="Calls to one patient a day"
                description="Empty: no limit"
                min={1}
                max={100}
                {...form.getInputProps('callsPerPatientPerDay')}
                value={values.callsPerPatientPerDay ?? ''}
                onChange={(value) => setFieldValue('callsPerPatientPerDay', orNone(value))}
              />
              <NumberInput
                label="Calls to one patient a week"
                description="Empty: no limit"
                min={1}
                max={100}
                {...form.getInputProps('callsPerPatientPerWeek')}
                value={values.callsPerPatientPerWeek ?? ''}
                onChange={(value) => setFieldValue('callsPerPatientPerWeek', orNone(value))}
              />
            </SimpleGrid>
            <HoursEditor
              label={`Calling hours (${zone.replaceAll('_', ' ')})`}
              hours={values.callingHours}
              problems={refusedHours}
              onChange={(hours) => setFieldValue('callingHours', hours)}
            />
            <Group>
              <Button type="submit" loading={save.isPending}>
                Save
              </Button>
            </Group>
          </Stack>
        </form>
      </AdminOnly>
    </Section>
  );
}
