import { readApiConfig } from '@clinic/shared/config';
import { runVoiceCommand } from './assistants/voice-command';

/** For deployments, with the API's environment: `node dist/voice.js sync --clinic …`. */
runVoiceCommand(process.argv.slice(2), { config: readApiConfig(process.env), say: (line) => console.log(line) }).catch(
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
