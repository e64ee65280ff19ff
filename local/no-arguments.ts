import { parseArgs } from 'node:util';

/** For a command that takes nothing behind its name. Throws for whatever stands there, and says what there is instead. */
export function refuseArguments(args: string[], usage: string): void {
  try {
    parseArgs({ args, options: {} });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
}
