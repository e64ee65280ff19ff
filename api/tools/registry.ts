import { abandonmentRecoveryTools } from './abandonment-recovery';
import { callingTools } from './calling';
import { emrTools } from './emr-tools';
import { holdTimeTools } from './hold-time';
import { patientIntakeTools } from './patient-intake';
import { patientJourneyTools } from './patient-journey';
import { withRehearsal } from '@clinic/sandbox/live-tools';
import type { Tool } from './tool';
import { waitlistTools } from './waitlist';

/** Every live-call tool. Routes, availability, argument errors, OpenAPI and the platform's definitions come from here. */
export const tools: readonly Tool[] = withRehearsal([
  ...patientJourneyTools,
  ...patientIntakeTools,
  ...emrTools,
  ...abandonmentRecoveryTools,
  ...callingTools,
  ...holdTimeTools,
  ...waitlistTools,
]);

export function findTool(family: string, name: string): Tool | null {
  return tools.find((tool) => tool.family === family && tool.name === name) ?? null;
}

/** By its name alone, for a platform that sends tool calls to one address. Names are unique over all families. */
export function findToolNamed(name: string): Tool | null {
  return tools.find((tool) => tool.name === name) ?? null;
}

/** The tools that change what this one changes, itself included. */
export function rivalsOf(tool: Tool): string[] {
  const subjectOf = ({ subject, name }: Tool) => subject ?? name;
  return tools.filter((other) => other.isWrite && subjectOf(other) === subjectOf(tool)).map(({ name }) => name);
}
