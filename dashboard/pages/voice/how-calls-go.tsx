import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import type { FilledForm } from '#forms';
import { Loading, onDemand, PlainButton, Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import type { Values } from './voice-values';

/** Its script comes when somebody wants to see it. */
const CallStyle = onDemand(async () => (await import('./call-style')).CallStyle);

/** What holds unless somebody says otherwise: folded until then. */
export function HowCallsGo({ form }: { form: FilledForm<Values> }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const isShown = isOpen || fields.some((path) => form.errors[path] !== undefined);
  return (
    <Section
      title={t`During calls`}
      isForAdmins
      actions={
        <PlainButton
          label={isShown ? t`Hide` : t`Show`}
          name={isShown ? t`Hide: During calls` : t`Show: During calls`}
          size="xs"
          onClick={toggle}
        />
      }
    >
      {isShown ? (
        <Suspense fallback={<Loading />}>
          <CallStyle form={form} />
        </Suspense>
      ) : (
        <Quiet>{t`Voicemail, recording, transfer to a person, the longest call. The defaults suit most clinics.`}</Quiet>
      )}
    </Section>
  );
}

const fields = ['transferTo', 'maxCallSeconds', 'voicemail.leavesMessage', 'credentialId'];
