import { Text } from '@mantine/core';
import * as api from '#api';
import { ServiceButton, showSecret } from '#forms';
import { IconRefresh } from '#icons';
import { CodeBlock, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';

/** What the platform needs in order to reach this service, and to prove that it is the platform. */
export const PlatformProof = ({ settings }: { settings: api.VoiceSettings }) => (
  <Section
    title={t`How the platform reaches us`}
    lead={t`Calls that we place carry this themselves. Numbers that patients call need it at the platform.`}
    gap="md"
  >
    <CodeBlock what={t`the server URL`} text={settings.serverUrl} wraps />
    <Text size="sm">
      {settings.secret ? (
        <>
          <Trans>
            The secret of this clinic was created <Moment at={settings.secret.createdAt} />
          </Trans>
          {settings.secret.lastUsedAt ? (
            <>
              {' '}
              <Trans>
                and last used <Moment at={settings.secret.lastUsedAt} />.
              </Trans>
            </>
          ) : (
            t`, and was not used yet.`
          )}
        </>
      ) : (
        t`This clinic has no secret yet. One is created when you save a key of your own.`
      )}
    </Text>
    <ServiceButton
      does={api.postIntegrationsVoiceRotateSecretMutation()}
      onDone={({ secret }) =>
        showSecret({
          title: t`The new secret of the platform`,
          what: t`the secret`,
          secret,
          note: t`The platform sends it as x-voice-secret. The old one is accepted for 24 hours.`,
        })
      }
      refresh={['integrations']}
      request={{}}
      ask={{
        title: t`Create a new secret?`,
        what: t`The one before is accepted for 24 hours. Put the new one wherever the platform keeps it.`,
        yes: t`Create it`,
        no: t`Cancel`,
      }}
      icon={IconRefresh}
      label={settings.secret ? t`Create a new secret` : t`Create a secret`}
      isForAdmins
    />
  </Section>
);
