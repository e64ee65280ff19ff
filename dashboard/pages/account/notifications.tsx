import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getAuthNotificationsOptions, putAuthNotificationsMutation } from '../../http/client/@tanstack/react-query.gen';
import { useRefresh } from '../../parts/refresh';
import { sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { useTaskNotices } from '../../shell/task-notices';

/** How one hears of new tasks: in this browser, and by mail. */
export function Notifications() {
  return (
    <Section title={t`Notifications`} lead={t`Of new tasks that nobody else has. They name no patient.`}>
      <Stack>
        <InBrowser />
        <ByMail />
      </Stack>
    </Section>
  );
}

function InBrowser() {
  const { isOn, isPossible, isRefused, turn } = useTaskNotices();
  return (
    <div>
      <Switch
        label={t`In this browser`}
        description={t`While the dashboard is open in it, whatever page it shows.`}
        checked={isOn}
        disabled={!isPossible}
        onChange={({ currentTarget }) => void turn(currentTarget.checked)}
      />
      {isRefused && (
        <Text size="sm" c="red" role="alert" mt={4}>
          <Trans>The browser does not permit it. Allow notifications for this address in its settings.</Trans>
        </Text>
      )}
      {!isPossible && (
        <Text size="sm" c="dimmed" mt={4}>
          <Trans>This browser has no notifications, or the address is not secure.</Trans>
        </Text>
      )}
    </div>
  );
}

function ByMail() {
  const found = useQuery(getAuthNotificationsOptions());
  const { email } = found.data ?? {};
  const change = useMutation({
    ...putAuthNotificationsMutation(),
    onError: sayFailed,
    onSettled: useRefresh('notifications'),
  });
  return (
    <Loaded query={found} rows={1}>
      {({ taskMails, hasMail }) => (
        <Switch
          label={email ? t`By mail to ${email}` : t`By mail`}
          description={
            hasMail
              ? t`The first at once, then at most one mail every five minutes.`
              : t`This service sends no mail: its operator has set no mail server.`
          }
          checked={change.isPending ? change.variables.body.taskMails : taskMails}
          disabled={!hasMail}
          onChange={({ currentTarget }) => change.mutate({ body: { taskMails: currentTarget.checked } })}
        />
      )}
    </Loaded>
  );
}
