import * as api from '#api';
import { LineForm, NumberField, useActionForm } from '#forms';
import { Section } from '#parts';
import { t } from '#texts';

/** Whether, and for how long, a live call keeps a time for a caller who thinks it over. */
export function SandboxCallHolds({ minutes }: { minutes: number }) {
  const form = useActionForm(api.putSandboxCallHoldsMutation(), {
    initialValues: { minutes },
    labels: { minutes: t`Minutes` },
    request: (body) => ({ body }),
    keepsValues: true,
    done: t`Saved.`,
    refresh: ['proving'],
  });
  return (
    <Section
      title={t`Times held in calls`}
      lead={t`With more than none, the agent of a call has the tool hold_time: the caller thinks it over, and nobody else gets the time meanwhile.`}
      isForAdmins
    >
      <LineForm form={form} action={t`Save`}>
        <NumberField min={0} max={15} allowDecimal={false} w={140} {...form.field('minutes')} />
      </LineForm>
    </Section>
  );
}
