import { connect, createServer } from 'node:net';

export interface WantedPort {
  /** The environment variable that chooses it. */
  variable: string;
  port: number;
  use: string;
}

/** The port that the environment names, or the usual one. */
export function portFrom(env: NodeJS.ProcessEnv, variable: string, usual: number): number {
  const text = env[variable];
  if (!text) return usual;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Error(`${variable} is not a port: ${text}`);
}

/** Throws one error that names every port somebody else already listens on. */
export async function requireFree(wanted: WantedPort[]): Promise<void> {
  const twice = wanted.find((one) => wanted.some((other) => other !== one && other.port === one.port));
  if (twice)
    throw new Error(`${wanted.map(({ variable, port }) => `${variable}=${port}`).join(', ')} must all differ.`);
  const lines: string[] = [];
  for (const { variable, port, use } of wanted) {
    const problem = await whyUnusable(port);
    if (problem) lines.push(`Port ${port} for ${use} ${problem}. Choose another: ${variable}=${port + 1000} npm start`);
  }
  if (lines.length > 0) throw new Error(lines.join('\n'));
}

/** A port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

async function whyUnusable(port: number): Promise<string | undefined> {
  if (await somebodyAnswers(port)) return 'is taken';
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EACCES' ? 'may not be used by this user' : 'is taken'),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

/** On some systems a port can be bound although another process listens on all addresses. */
function somebodyAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
    socket.setTimeout(500, () => answer(false));
  });
}
