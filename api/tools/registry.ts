import { abandonmentRecoveryTools } from './abandonment-recovery';
import type { Tool } from './tool';

/** Every live-call tool. Routes, availability, argument errors, OpenAPI and the platform's definitions come from here. */
export const tools: Tool[] = [...abandonmentRecoveryTools];

export function findTool(family: string, name: string): Tool | null {
  return tools.find((tool) => tool.family === family && tool.name === name) ?? null;
}
