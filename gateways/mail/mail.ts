import { createTransport } from 'nodemailer';
import type { ServiceConfig } from '@clinic/shared/config';
import { describeError, type Logger } from '@clinic/shared/log';

/** What became of a mail: `off` where the deployment sends none. */
export type Mailed = 'sent' | 'failed' | 'off';

export interface Mail {
  /** Whether this deployment sends mail. */
  isSet: boolean;
  /** Sends it within ten seconds, or says that it could not. Never throws: anyone who asked has what the mail says. */
  send(message: { to: string; subject: string; text: string }): Promise<Mailed>;
}

const TIMEOUT_MS = 10_000;

/** Mail by the deployment's SMTP server, while anyone who asks for it waits: nothing is kept here that a crash could lose. */
export function createMail(
  { SMTP_URL, MAIL_FROM, PUBLIC_URL }: Pick<ServiceConfig, 'SMTP_URL' | 'MAIL_FROM' | 'PUBLIC_URL'>,
  log: Logger,
): Mail {
  if (SMTP_URL === undefined) return { isSet: false, send: async () => 'off' };
  const from = MAIL_FROM ?? `no-reply@${new URL(PUBLIC_URL).hostname}`;
  const transport = createTransport({
    url: SMTP_URL,
    connectionTimeout: TIMEOUT_MS / 2,
    greetingTimeout: TIMEOUT_MS / 2,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    isSet: true,
    async send(message) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the mail server takes too long')), TIMEOUT_MS);
      });
      try {
        await Promise.race([transport.sendMail({ ...message, from }), late]);
        return 'sent';
      } catch (error) {
        // Without the message: mail servers repeat addresses in it.
        const { name, code } = describeError(error);
        log.warn({ name, code }, 'a mail could not be sent');
        return 'failed';
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
