import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, NativeSelect, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import {
  deleteSandboxFailuresByFailureIdMutation,
  deleteSandboxFailuresMutation,
  postSandboxFailuresMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { servicesSentence } from '../../parts/code-words';
import { AdminOnly } from '../../parts/admin';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';

type Kind = Api.SandboxFailureKind;
type Failure = Api.SandboxFailure;

const labels = {
  failure: t`Failure`,
  operation: t`Where`,
  identifier: t`Only for the patient`,
  times: t`How many times`,
  minutes: t`Ends after`,
  parameters: t`How much`,
};

/** How people call what a FHIR client can ask. */
const operations: Record<string, string> = {
  schedule: t`Schedule search`,
  slots: t`Slot search`,
  appointments: t`Appointment search`,
  match: '$match',
  book: '$book',
  reschedule: '$reschedule',
  cancel: '$cancel',
  document: 'DocumentReference',
};

const parameterLabels: Record<string, string> = {
  delaySeconds: t`Comes late by`,
  retryAfterSeconds: 'Retry-After',
  lagSeconds: t`Lags behind by`,
  entries: t`How many`,
};

/** What the next requests of FHIR clients meet. */
export function ChosenFailures({ failures, kinds }: { failures: Failure[]; kinds: Kind[] }) {
  const refresh = useRefresh('proving');
  const clear = useMutation({
    ...deleteSandboxFailuresMutation(),
    onSuccess: () => sayDone(t`Nothing waits any more.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Section
      title={t`Chosen failures`}
      lead={t`What real servers do to a client, when you want it: the next requests of FHIR clients meet it, and it ends by itself.`}
      actions={
        failures.length > 0 && (
          <AdminOnly>
            <Button size="xs" variant="default" loading={clear.isPending} onClick={() => clear.mutate({})}>
              <Trans>Remove all</Trans>
            </Button>
          </AdminOnly>
        )
      }
    >
      <AdminOnly>
        <Stack>
          <Choose kinds={kinds} />
          {failures.length > 0 && (
            <PlainList label={t`Chosen failures`} isInset>
              {failures.map((failure) => (
                <Row key={failure.id} failure={failure} kinds={kinds} />
              ))}
            </PlainList>
          )}
        </Stack>
      </AdminOnly>
    </Section>
  );
}

const initialValues = { failure: '', operation: '', identifier: '', times: 1, minutes: 60, parameters: '' };

function Choose({ kinds }: { kinds: Kind[] }) {
  const refresh = useRefresh('proving');
  const form = useForm<Record<keyof typeof initialValues, string | number>>({ initialValues });
  const kind = kinds.find(({ failure }) => failure === form.values.failure) ?? kinds[0];
  const [parameter] = kind?.parameters ?? [];
  const operation = kind?.operations.find((each) => each === form.values.operation);
  const choose = useMutation({
    ...postSandboxFailuresMutation(),
    onSuccess: () => sayDone(t`Chosen. The next requests that it is for meet it.`),
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  const send = ({ identifier, times, minutes, parameters }: typeof form.values) => {
    if (!kind) return;
    const amount = parameter && parameters !== '' ? { [parameter.name]: Number(parameters) } : {};
    const body = {
      failure: kind.failure,
      operation,
      times: Number(times),
      minutes: Number(minutes),
      parameters: amount,
    };
    const who = String(identifier).trim();
    choose.mutate({ body: { ...body, ...(who !== '' && { identifier: who }) } });
  };
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack>
        <NativeSelect
          label={labels.failure}
          description={kind && withoutTicks(kind.happens)}
          data={kinds.map(({ failure, title }) => ({ value: failure, label: title }))}
          {...form.getInputProps('failure')}
          onChange={({ currentTarget }) =>
            form.setValues({ failure: currentTarget.value, operation: '', parameters: '' })
          }
        />
        <Text size="sm">
          <Text span fw={500}>
            <Trans>A good client:</Trans>
          </Text>{' '}
          {kind && lowerFirst(withoutTicks(kind.goodClient))}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label={labels.operation}
            data={[
              { value: '', label: t`Wherever it can happen` },
              ...(kind?.operations ?? []).map((each) => ({ value: each, label: operations[each] ?? each })),
            ]}
            {...form.getInputProps('operation')}
          />
          <TextInput
            label={labels.identifier}
            placeholder={t`MRN-1001; empty: any`}
            maxLength={128}
            {...form.getInputProps('identifier')}
          />
          <NumberInput label={labels.times} allowDecimal={false} {...form.getInputProps('times')} />
          <NumberInput
            label={labels.minutes}
            suffix={t` minutes`}
            allowDecimal={false}
            {...form.getInputProps('minutes')}
          />
          {parameter && (
            <NumberInput
              label={parameterLabels[parameter.name] ?? parameter.name}
              placeholder={`${parameter.usual} ${servicesSentence(parameter.unit)}`}
              suffix={` ${servicesSentence(parameter.unit)}`}
              allowDecimal={false}
              {...form.getInputProps('parameters')}
            />
          )}
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={choose.isPending}>
            <Trans>Choose this failure</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Row({ failure, kinds }: { failure: Failure; kinds: Kind[] }) {
  const { id, operation, identifier, times, played, isOver, endsAt } = failure;
  const refresh = useRefresh('proving');
  const remove = useMutation({ ...deleteSandboxFailuresByFailureIdMutation(), onError: sayFailed, onSettled: refresh });
  const title = kinds.find((kind) => kind.failure === failure.failure)?.title ?? failure.failure;
  const where = operation === null ? t`Wherever it can happen` : (operations[operation] ?? operation);
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Badge size="sm" variant="light" color={isOver ? 'gray' : 'orange'}>
            {isOver ? t`Over` : t({ message: 'Waits', context: 'a failure' })}
          </Badge>
        </Group>
        <Text size="xs" c="dimmed">
          <Trans>
            {where}
            {identifier === null ? '' : t`, for ${identifier}`}, met {played} of {times}
          </Trans>
          {!isOver && (
            <Trans>
              , ends <Moment at={endsAt} />
            </Trans>
          )}
        </Text>
      </div>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        loading={remove.isPending}
        onClick={() => remove.mutate({ path: { failureId: id } })}
        aria-label={t`Remove: ${title}`}
      >
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

const withoutTicks = (text: string) => text.replaceAll('`', '');
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
