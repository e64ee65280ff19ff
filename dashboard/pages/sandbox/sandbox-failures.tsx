import { NativeSelect, NumberInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import * as api from '#api';
import { PageForm, ServiceButton, useActionForm } from '#forms';
import { PlainList } from '#lists';
import { Line, Mark, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';
import { lowerFirst, withoutTicks } from './service-texts';

type Kind = api.SandboxFailureKind;

const labels = {
  failure: t`Failure`,
  operation: t`Where`,
  identifier: t`Only for the patient`,
  times: t`How many times`,
  minutes: t`Ends after`,
  parameters: t`How much`,
};

/** How people call what a FHIR client can ask. */
const operations: Record<api.SandboxOperation, string> = {
  schedule: t`Schedule search`,
  slots: t`Slot search`,
  appointments: t`Appointment search`,
  match: '$match',
  book: '$book',
  reschedule: '$reschedule',
  cancel: '$cancel',
  document: 'DocumentReference',
  event: t`Events to your endpoints`,
};

const parameterLabels: Record<string, string> = {
  delaySeconds: t`Delay`,
  retryAfterSeconds: 'Retry-After',
  lagSeconds: t`Lag`,
  entries: t`How many`,
};

const units: Record<Kind['parameters'][number]['unit'], string> = { seconds: t`seconds`, entries: t`entries` };

/** What the next requests of FHIR clients meet. */
export const ChosenFailures = ({ failures, kinds }: { failures: api.SandboxFailure[]; kinds: Kind[] }) => (
  <Section
    title={t`Chosen failures`}
    lead={t`What real servers do to a client, when you want it: the next requests of FHIR clients, or the next events to you, meet it, and it ends by itself.`}
    actions={
      failures.length > 0 && (
        <ServiceButton
          size="xs"
          does={api.deleteSandboxFailuresMutation()}
          done={t`All failures are removed.`}
          refresh={['proving']}
          request={{}}
          label={t`Remove all`}
          isForAdmins
        />
      )
    }
    isForAdmins
    gap="md"
  >
    <Choose kinds={kinds} />
    {failures.length > 0 && (
      <PlainList label={t`Chosen failures`} isInset>
        {failures.map((failure) => (
          <Row key={failure.id} failure={failure} kinds={kinds} />
        ))}
      </PlainList>
    )}
  </Section>
);

type Chosen = Record<'failure' | 'operation' | 'identifier' | 'times' | 'minutes' | 'parameters', string | number>;

const initialValues: Chosen = { failure: '', operation: '', identifier: '', times: 1, minutes: 60, parameters: '' };

const kindIn = (kinds: Kind[], { failure }: Chosen): Kind | undefined =>
  kinds.find((each) => each.failure === failure) ?? kinds[0];

function bodyOf(chosen: Chosen, kind: Kind | undefined): api.PostSandboxFailuresData['body'] {
  const [parameter] = kind?.parameters ?? [];
  const identifier = String(chosen.identifier).trim();
  return {
    failure: kind?.failure ?? '',
    operation: kind?.operations.find((each) => each === chosen.operation),
    times: Number(chosen.times),
    minutes: Number(chosen.minutes),
    parameters: parameter && chosen.parameters !== '' ? { [parameter.name]: Number(chosen.parameters) } : {},
    ...(identifier !== '' && { identifier }),
  };
}

function Choose({ kinds }: { kinds: Kind[] }) {
  const form = useActionForm(api.postSandboxFailuresMutation(), {
    initialValues,
    labels,
    request: (values) => ({ body: bodyOf(values, kindIn(kinds, values)) }),
    keepsValues: true,
    done: t`Chosen. It applies to the next matching requests or events.`,
    refresh: ['proving'],
  });
  const kind = kindIn(kinds, form.values);
  const [parameter] = kind?.parameters ?? [];
  return (
    <PageForm form={form} action={t`Choose this failure`} isDisabled={!kind}>
      <NativeSelect
        description={kind && withoutTicks(kind.happens)}
        data={kinds.map(({ failure, title }) => ({ value: failure, label: title }))}
        {...form.field('failure')}
        onChange={({ currentTarget }) =>
          form.setValues({ failure: currentTarget.value, operation: '', parameters: '' })
        }
      />
      <Text size="sm">
        <Text span fw={500}>
          {t`A good client:`}
        </Text>{' '}
        {kind && lowerFirst(withoutTicks(kind.goodClient))}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          data={[
            { value: '', label: t`Wherever it can happen` },
            ...(kind?.operations ?? []).map((each) => ({ value: each, label: operations[each] })),
          ]}
          {...form.field('operation')}
        />
        <TextInput placeholder={t`MRN-1001; empty: any`} maxLength={128} {...form.field('identifier')} />
        <NumberInput allowDecimal={false} {...form.field('times')} />
        <NumberInput suffix={t` minutes`} allowDecimal={false} {...form.field('minutes')} />
        {parameter && (
          <NumberInput
            label={parameterLabels[parameter.name] ?? parameter.name}
            placeholder={`${parameter.usual} ${units[parameter.unit]}`}
            suffix={` ${units[parameter.unit]}`}
            allowDecimal={false}
            {...form.getInputProps('parameters')}
          />
        )}
      </SimpleGrid>
    </PageForm>
  );
}

function Row({ failure, kinds }: { failure: api.SandboxFailure; kinds: Kind[] }) {
  const { id, operation, identifier, times, played, isOver, endsAt } = failure;
  const title = kinds.find((kind) => kind.failure === failure.failure)?.title ?? failure.failure;
  const where = operation === null ? t`Wherever it can happen` : operations[operation];
  return (
    <Line
      name={title}
      marks={
        <Mark color={isOver ? 'gray' : 'orange'}>
          {isOver ? t`Over` : t({ message: 'Waits', context: 'a failure' })}
        </Mark>
      }
      align="start"
      actions={
        <ServiceButton
          size="xs"
          variant="subtle"
          color="red"
          does={api.deleteSandboxFailuresByFailureIdMutation()}
          refresh={['proving']}
          request={{ path: { failureId: id } }}
          name={t`Remove: ${title}`}
          label={t`Remove`}
        />
      }
    >
      <Trans>
        {where}
        {identifier === null ? '' : t`, for ${identifier}`}, met {played} of {times}
      </Trans>
      {!isOver && (
        <Trans>
          , ends <Moment at={endsAt} />
        </Trans>
      )}
    </Line>
  );
}
