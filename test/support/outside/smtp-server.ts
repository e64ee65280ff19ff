import { createServer, type Socket } from 'node:net';

export interface SmtpServer {
  url: string;
  /** Whole mails as they came, each with the address that it was for. */
  mails: { to: string; text: string }[];
  /** Refuses what comes from now on, as a server does that knows no such person. */
  refuse(): void;
  /** Has the mails that come from now on wait for their reply until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

/** A mail server as far as one client needs it (RFC 5321), without TLS or passwords. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: SmtpServer['mails'] = [];
  let isRefusing = false;
  let isHeld: Promise<void> = Promise.resolve();
  const serve = (socket: Socket) => {
    const say = (line: string) => socket.write(`${line}\r\n`);
    let to = '';
    let data: string[] | null = null;
    let rest = '';
    const hear = (line: string) => {
      if (data) {
        if (line !== '.') return void data.push(line);
        mails.push({ to, text: data.join('\n') });
        data = null;
        return void isHeld.then(() => say('250 taken'));
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'RCPT' && isRefusing) return say('550 no such person');
      if (verb === 'RCPT') to = /<(.*)>/.exec(line)?.[1] ?? '';
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      if (verb !== 'DATA') return say('250 ok');
      data = [];
      return say('354 go on');
    };
    say('220 ready');
    socket.on('data', (chunk) => {
      const lines = `${rest}${chunk.toString('utf8')}`.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
    socket.on('error', () => socket.destroy());
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: () => void (isRefusing = true),
    hold() {
      let release = (): void => undefined;
      isHeld = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
