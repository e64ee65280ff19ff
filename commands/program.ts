import { Command } from 'commander';
import { accountCommands, emergencyCommand } from './account';
import { auditCommands } from './audit';
import { clinicCommands } from './clinic';
import { clinicSettingsCommands } from './clinic-settings';
import { type CommandContext, CommandLine, parsed } from './command-line';
import { keyCommands } from './key';
import { migrateCommands } from './migrate';
import { patientCommands } from './patient';
import { pauseCommands } from './pause';
import { ssoCommands } from './sso';
import { temporalCommands } from './temporal';
import { verifyDialsCommand } from './verify-dials';
import { voiceCommands } from './voice';

/**
 * Runs one command line, as ['clinic', 'create', '--name', …]. Returns the exit code: 1 where what was checked does
 * not hold. Throws what the operator is to read.
 */
export async function runCommand(args: string[], context: CommandContext): Promise<0 | 1> {
  const line = new CommandLine(context);
  const clinic = new Command('clinic').description(
    'makes clinics, and manages them, their accounts and their patients',
  );
  clinicCommands(line, clinic);
  clinicSettingsCommands(line, clinic);
  clinic.addCommand(accountCommands(line));
  clinic.addCommand(emergencyCommand(line));
  clinic.addCommand(keyCommands(line));
  clinic.addCommand(patientCommands(line));
  clinic.addCommand(ssoCommands(line));
  const program = new Command('command').addCommand(clinic);
  for (const commands of [auditCommands, migrateCommands, pauseCommands, verifyDialsCommand, voiceCommands]) {
    program.addCommand(commands(line));
  }
  for (const command of temporalCommands(line)) program.addCommand(command);
  await parsed(program, args, context);
  return line.exitCode;
}
