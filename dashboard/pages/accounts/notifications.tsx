import { Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { Loaded, Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { useTaskNotices } from '../../shell/task-notices';

/** How one hears of new tasks: in this browser, and by mail. */
export const Notifications = () => (
  <Section
    title={t`Notifications`}
    lead={t`You are notified of new tasks that nobody has taken. Notifications name no patient.`}
    gap="md"
  >
    <InBrowser />
    <ByMail />
  </Section>
);

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
          {t`The browser does not permit it. Allow notifications for this address in its settings.`}
        </Text>
      )}
      {!isPossible && <Quiet mt={4}>{t`This browser has no notifications, or the address is not secure.`}</Quiet>}
    </div>
  );
}

function ByMail() {
  const found = useQuery(api.getAuthNotificationsOptions());
  const { email } = found.data ?? {};
  const change = useAction(api.putAuthNotificationsMutation(), { refresh: ['notifications'] });
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
