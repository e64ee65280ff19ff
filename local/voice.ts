import { runVoiceCommand } from '@clinic/api/assistants/voice-command';
import { localConfig } from './environment';
import { withStack } from './with-stack';

/** `npm run voice`: makes a clinic's assistants at the voice platform. */
export const main = (args: string[]): Promise<void> =>
  withStack(
    (line) => console.error(line),
    (dev) => runVoiceCommand(args, { config: localConfig(dev), say: (line) => console.log(line) }),
  );
