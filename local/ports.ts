import { randomInt } from 'node:crypto';
import getPort from 'get-port';

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

/** Throws one error that names every port somebody else already listens on, with one that is free. */
export async function requireFree(wanted: WantedPort[]): Promise<void> {
  const twice = wanted.find((one) => wanted.some((other) => other !== one && other.port === one.port));
  if (twice)
    throw new Error(`${wanted.map(({ variable, port }) => `${variable}=${port}`).join(', ')} must all differ.`);
  const lines: string[] = [];
  for (const { variable, port, use } of wanted) {
    if (await isFree(port)) continue;
    const free = await freeInsteadOf(port, wanted);
    const problem = port < 1_024 ? 'is taken, or only an administrator may use it' : 'is taken';
    lines.push(`Port ${port} for ${use} ${problem}. Choose another: ${variable}=${free} npm start`);
  }
  if (lines.length > 0) throw new Error(lines.join('\n'));
}

/**
 * A port nobody listens on at this moment, and that this process is given once. It lies below those that the system gives
 * to outgoing connections, one of which could take it before it is listened on, and above the last one that `fetch` refuses (10080).
 */
export const freePort = (): Promise<number> =>
  getPort({ host: '127.0.0.1', port: Array.from({ length: 20 }, () => randomInt(10_081, 30_000)) });

/** Whether it can be listened on, at every address of this machine. */
const isFree = async (port: number): Promise<boolean> => (await getPort({ port })) === port;

/** A free port that looks like the one that was wanted, and that is not wanted for something else. */
function freeInsteadOf(port: number, wanted: WantedPort[]): Promise<number> {
  const alike = [port + 1_000, port + 2_000, port + 3_000].filter((each) => each <= 65_535);
  return getPort({ port: alike, exclude: wanted.map((each) => each.port) });
}
