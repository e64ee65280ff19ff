import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { Dialog, DialogEnd, FormDialog, useAction, useActionForm } from '#forms';
import { stepUp, stepUpByPasskey, stepUpBySignOn } from '#http';
import { Problem } from '#parts';
import { t } from '#texts';

/** Asks a person to confirm that it is them, in one of the ways that they have. */
export function StepUpDialog() {
  const { data, error, refetch } = useQuery({ ...api.getAuthStepUpOptions(), staleTime: 0 });
  if (!data) return error && <Unknown error={error} onRetry={() => void refetch()} />;
  const written = data.by.find((each) => each === 'code' || each === 'password');
  return written ? <Written by={written} others={data.by} /> : <ByButton ways={data.by} />;
}

const dismiss = () => stepUp.settle(false);

const Why = () => (
  <Text size="sm">{t`This needs you to have confirmed within the last five minutes that it is you.`}</Text>
);

type Ways = api.StepUpState['by'];

function Written({ by, others }: { by: 'code' | 'password'; others: Ways }) {
  const form = useActionForm(api.postAuthStepUpMutation(), {
    initialValues: { proof: '' },
    labels: { proof: by === 'code' ? t`Code` : t`Password` },
    fieldOf: () => 'proof',
    request: ({ proof }) => ({ body: by === 'code' ? { code: proof } : { password: proof } }),
    onDone: () => stepUp.settle(true),
    refresh: [],
  });
  return (
    <FormDialog title={t`Confirm that it is you`} onClose={dismiss} form={form} action={t`Confirm`}>
      <Why />
      {by === 'code' ? (
        <TextInput
          description={t`Of your authenticator, or a backup code`}
          autoComplete="one-time-code"
          data-autofocus
          {...form.field('proof')}
        />
      ) : (
        <PasswordInput
          autoComplete="current-password"
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': t`Show the password` }}
          {...form.field('proof')}
        />
      )}
      <OtherWays ways={others} />
    </FormDialog>
  );
}

const ByButton = ({ ways }: { ways: Ways }) => (
  <Dialog opened onClose={dismiss} title={t`Confirm that it is you`}>
    <Stack>
      <Why />
      <DialogEnd close={t`Not now`} onClose={dismiss}>
        <OtherWays ways={ways} />
      </DialogEnd>
    </Stack>
  </Dialog>
);

/** In which ways they can confirm it could not be read: what waits for it ends where they leave it so. */
const Unknown = (problem: { error: unknown; onRetry: () => void }) => (
  <Dialog opened onClose={dismiss} title={t`Confirm that it is you`}>
    <Stack>
      <Problem {...problem} />
      <DialogEnd close={t`Not now`} onClose={dismiss} />
    </Stack>
  </Dialog>
);

/** Those for which nothing is typed here. */
const OtherWays = ({ ways }: { ways: Ways }) => (
  <>
    {ways.includes('passkey') && <WayButton by={stepUpByPasskey} label={t`Use a passkey`} />}
    {ways.includes('sso') && <WayButton by={stepUpBySignOn} label={t`Confirm at your organisation`} />}
  </>
);

function WayButton({ by, label }: { by: () => Promise<void>; label: string }) {
  const prove = useAction({ mutationFn: by }, { onDone: () => stepUp.settle(true), refresh: [] });
  return (
    <Button variant="default" loading={prove.isPending} onClick={() => prove.mutate()}>
      {label}
    </Button>
  );
}
