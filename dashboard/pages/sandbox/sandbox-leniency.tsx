import { NumberInput, SimpleGrid, Switch, Text } from '@mantine/core';
import * as api from '#api';
import { PageForm, useAction, useActionForm } from '#forms';
import { Section } from '#parts';
import { t } from '#texts';
import { lenientRules } from './lenient-rules';
import { lowerFirst } from './service-texts';

const labels = { minimumNoticeMinutes: t`Minimum notice`, maximumNoticeDays: t`Maximum days ahead` };

interface Props {
  leniency: api.SandboxLeniency;
  kinds: api.SandboxLenientRule[];
}

/** What the sandbox makes easier than a real EHR does, each to be switched off. */
export function SandboxLeniency({ leniency, kinds }: Props) {
  const change = useAction(api.patchSandboxLeniencyMutation(), { refresh: ['proving', 'slots'] });
  return (
    <Section
      title={t`Like a real EHR`}
      lead={t`The sandbox is kinder than a real EHR. Switch its lenient rules off one at a time, and see whether your client copes.`}
      isForAdmins
      gap="md"
    >
      {kinds.map(({ rule }) => {
        const { title, off, client } = lenientRules[rule];
        const isOn = leniency[rule];
        return (
          <Switch
            key={rule}
            label={title}
            description={
              isOn ? (
                t`Off: ${lowerFirst(off)}`
              ) : (
                <>
                  {off}{' '}
                  <Text span inherit fw={500}>
                    {t`A good client:`}
                  </Text>{' '}
                  {lowerFirst(client)}
                </>
              )
            }
            checked={isOn}
            disabled={change.isPending}
            onChange={({ currentTarget }) => change.mutate({ body: { [rule]: currentTarget.checked } })}
          />
        );
      })}
      <Notice key={`${leniency.minimumNoticeMinutes} ${leniency.maximumNoticeDays}`} leniency={leniency} />
    </Section>
  );
}

function Notice({ leniency: { minimumNoticeMinutes, maximumNoticeDays } }: Pick<Props, 'leniency'>) {
  const stored: Record<keyof typeof labels, string | number> = {
    minimumNoticeMinutes,
    maximumNoticeDays: maximumNoticeDays ?? '',
  };
  const form = useActionForm(api.patchSandboxLeniencyMutation(), {
    initialValues: stored,
    labels,
    request: (values) => ({
      body: {
        minimumNoticeMinutes: Number(values.minimumNoticeMinutes),
        maximumNoticeDays: values.maximumNoticeDays === '' ? null : Number(values.maximumNoticeDays),
      },
    }),
    keepsValues: true,
    done: t`Saved. Searches and bookings go by it.`,
    refresh: ['proving', 'slots'],
  });
  return (
    <PageForm form={form} action={t`Save the notice periods`} variant="default" gap="sm" isEdit>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          description={t`Besides what each provider says`}
          suffix={t` minutes`}
          allowDecimal={false}
          {...form.field('minimumNoticeMinutes')}
        />
        <NumberInput
          description={t`Empty: however far ahead`}
          suffix={t` days`}
          allowDecimal={false}
          {...form.field('maximumNoticeDays')}
        />
      </SimpleGrid>
    </PageForm>
  );
}
