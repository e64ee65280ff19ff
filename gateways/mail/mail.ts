import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { ServiceConfig } from '@clinic/shared/config';
import { describeError, type Logger } from '@clinic/shared/log';

/**
 * What became of a mail: `off` where the deployment sends none, `unknown` where one that is to come once was handed over and the server
 * has not said whether it took it.
 */
export type Mailed = 'sent' | 'failed' | 'off' | 'unknown';

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  /** The same with a picture, which it names by its `cid`. */
  html?: string;
  pictures?: { cid: string; filename: string; content: Buffer }[];
  /**
   * For a mail that must not come twice: asked once the server waits for nothing but the last line. With false, or where it throws, that
   * line is not sent, and the server keeps nothing (RFC 5321, 4.1.1.4).
   */
  handOver?: () => Promise<boolean>;
}

export interface Mail {
  /** Whether this deployment sends mail. */
  isSet: boolean;
  /** Sends it within ten seconds, or says that it could not. Never throws: anyone who asked has what the mail says. */
  send(message: MailMessage): Promise<Mailed>;
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
  transport.use('stream', (mail, done) => {
    const { beforeLastLine: ask } = mail.data as { beforeLastLine?: () => Promise<boolean> };
    // It is read when the server has taken the addresses and asks for the text.
    if (ask) mail.message.processFunc((whole) => Readable.from(endingBy(whole, ask), { objectMode: false }));
    done();
  });
  return {
    isSet: true,
    async send({ pictures, handOver, ...message }) {
      let isHandedOver = false;
      const lastWord = async () => {
        isHandedOver = (await handOver?.()) ?? false;
        return isHandedOver;
      };
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the mail server takes too long')), TIMEOUT_MS);
      });
      try {
        const whole = { ...message, from, attachments: pictures, beforeLastLine: handOver && lastWord };
        await Promise.race([transport.sendMail(whole), late]);
        return 'sent';
      } catch (error) {
        // Without the message: mail servers repeat addresses in it.
        const { name, code } = describeError(error);
        log.warn({ name, code }, 'a mail could not be sent');
        const isRefused = error instanceof Error && 'responseCode' in error;
        return isHandedOver && !isRefused ? 'unknown' : 'failed';
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function* endingBy(whole: AsyncIterable<Buffer>, ask: () => Promise<boolean>) {
  yield* whole;
  if (!(await ask())) throw new Error('it was sent already');
}
