/** The commands that run.mjs starts by their names. Each is loaded when it is asked for. */
export const commands = {
  command: () => import('./command.js'),
  demo: () => import('./demo.js'),
  ephemeral: () => import('./ephemeral.js'),
  readiness: () => import('./readiness.js'),
  reset: () => import('./reset.js'),
  start: () => import('./start.js'),
};
