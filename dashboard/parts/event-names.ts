/** Outgoing events as people call them. */
const names: Record<string, string> = {
  'recovery_case.created': 'Case created',
  'recovery_case.outcome': 'Case outcome',
  'workflow.completed': 'Workflow completed',
  test: 'Test event',
};

export const eventName = (event: string): string => names[event] ?? event;
export const eventOptions = Object.entries(names).map(([value, label]) => ({ value, label }));
