import { ClockAdvance, NewSandboxClock, SandboxClockView } from '@clinic/shared/contracts/sandbox/sandbox';
import { clockYears, type SandboxClock, sandboxTime } from '@clinic/shared/domain/sandbox/sandbox-clock';
import { AppError } from '@clinic/shared/errors';
import { configuration, opened } from './configuration';

/** The clock of the sandbox EMR. */
export const clockRoutes = [
  configuration.put('/sandbox/clock', {
    summary: 'Set the clock of the sandbox EMR: slots, fulfilment and what is upcoming go by it',
    description: 'Workflows, calls and calling hours go by the real time all the same. What was fulfilled stays so.',
    body: NewSandboxClock,
    responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
    async handle({ caller: { clinicId }, body: { at, isFrozen }, by }, { stores }) {
      await opened({ stores }, clinicId);
      const realNow = new Date();
      const clock = { shows: at, runsSince: isFrozen ? null : realNow.toISOString() };
      await stores.sandboxClocks.set({ clinicId, realNow, to: () => clock }, by);
      return { body: toClock(clock, realNow) };
    },
  }),
  configuration.post('/sandbox/clock/advance', {
    summary: 'Set the clock of the sandbox EMR forward from what it shows',
    description:
      'By days, hours, minutes and seconds together; a clock that stands still stands still there. Workflows, calls and calling hours go by the real time all the same.',
    body: ClockAdvance,
    responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
    async handle({ caller: { clinicId }, body: { days, hours, minutes, seconds }, by }, { stores }) {
      await opened({ stores }, clinicId);
      const realNow = new Date();
      const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
      const to = (clock: SandboxClock | null): SandboxClock => {
        const later = new Date(sandboxTime(clock, realNow).getTime() + ms);
        if (later.getUTCFullYear() > clockYears.last) {
          throw new AppError('bad_request', `The clock goes to the year ${clockYears.last}`);
        }
        const isFrozen = clock !== null && clock.runsSince === null;
        return { shows: later.toISOString(), runsSince: isFrozen ? null : realNow.toISOString() };
      };
      const clock = await stores.sandboxClocks.set({ clinicId, realNow, to }, by);
      return { body: toClock(clock, realNow) };
    },
  }),
  configuration.delete('/sandbox/clock', {
    summary: 'Let the sandbox EMR go by the real time again',
    description: 'What was fulfilled stays so. Where no clock was set it changes nothing.',
    responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
    async handle({ caller: { clinicId }, by }, { stores }) {
      await opened({ stores }, clinicId);
      const realNow = new Date();
      await stores.sandboxClocks.set({ clinicId, realNow, to: () => null }, by);
      return { body: toClock(null, realNow) };
    },
  }),
];

export const toClock = (clock: SandboxClock | null, realNow: Date): SandboxClockView => ({
  now: sandboxTime(clock, realNow).toISOString(),
  isSet: clock !== null,
  isFrozen: clock !== null && clock.runsSince === null,
});
