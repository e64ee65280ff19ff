import { createServer, type Socket } from 'node:net';

export interface SmtpServer {
  url: string;
  /** Whole mails as they came, each with the address that it was for. */
  mails: { to: string; text: string }[];
  /** Refuses what comes until the returned function is called: as a server does that knows no such person, or once it has the text. */
  refuse(at?: 'recipient' | 'end'): () => void;
  /** Has the mails that come from now on wait for their reply until the returned function is called. */
  hold(): () => void;
  /** Has the next mail wait to be asked for its text; resolves once it does, with what has it go on. */
  holdText(): Promise<() => void>;
  /** Takes what comes, and ends the connection in place of a reply, until the returned function is called. */
  cutOff(): () => void;
  close(): Promise<void>;
}

/** A mail server as far as one client needs it (RFC 5321), without TLS or passwords. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: SmtpServer['mails'] = [];
  let refusedAt: 'recipient' | 'end' | null = null;
  let isCutOff = false;
  let isHeld: Promise<void> = Promise.resolve();
  let whenAskable: ((goOn: () => void) => void) | null = null;
  const serve = (socket: Socket) => {
    const say = (line: string) => socket.write(`${line}\r\n`);
    let to = '';
    let data: string[] | null = null;
    let rest = '';
    const hear = (line: string) => {
      if (data) {
        if (line !== '.') return void data.push(line);
        const text = data.join('\n');
        data = null;
        if (refusedAt === 'end') return say('552 no room');
        mails.push({ to, text });
        if (isCutOff) return socket.destroy();
        return void isHeld.then(() => say('250 taken'));
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'RCPT' && refusedAt === 'recipient') return say('550 no such person');
      if (verb === 'RCPT') to = /<(.*)>/.exec(line)?.[1] ?? '';
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      if (verb !== 'DATA') return say('250 ok');
      const goOn = () => {
        data = [];
        say('354 go on');
      };
      const held = whenAskable;
      whenAskable = null;
      return held ? held(goOn) : goOn();
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
    refuse(at = 'recipient') {
      refusedAt = at;
      return () => void (refusedAt = null);
    },
    hold() {
      let release = (): void => undefined;
      isHeld = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    holdText: () =>
      new Promise((resolve) => {
        whenAskable = resolve;
      }),
    cutOff() {
      isCutOff = true;
      return () => void (isCutOff = false);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
