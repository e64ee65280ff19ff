import { resendStep } from '@clinic/shared/domain/operations/bulk-job';
import { faultReasons, isLate } from '@clinic/shared/domain/operations/clinic-faults';
import { monthFrom, spanOf } from '@clinic/shared/domain/operations/periods';
import { moneyOf, noCases, onEveryDay, ratesOf } from '@clinic/shared/domain/operations/results';
import {
  isRetentionKind,
  retentionDefaults,
  retentionKinds,
  retentionLimits,
} from '@clinic/shared/domain/operations/retention';

test('rates are of what can be won, and none where there is nothing to divide by', () => {
  const counts = { ...noCases, recovered: 3, lost: 1, alreadyCompleted: 6, called: 8, reached: 2, calls: 12 };

  expect(ratesOf(counts)).toEqual({ recoveryRate: 0.75, reachRate: 0.25, callsPerRecovery: 4 });
  expect(ratesOf(noCases)).toEqual({ recoveryRate: null, reachRate: null, callsPerRecovery: null });
});

test('what recovery brought, without what its calls cost', () => {
  const counts = { ...noCases, valueRecovered: 100, callCostUsd: 10 };

  expect(moneyOf(counts, { usdRate: 2, recoveredPatients: 4 })).toEqual({
    callCost: 20,
    net: 80,
    costPerRecovered: 5,
    netPerRecovered: 20,
  });
  expect(moneyOf(counts, { usdRate: 2, recoveredPatients: 0 })).toEqual({
    callCost: 20,
    net: 80,
    costPerRecovered: null,
    netPerRecovered: null,
  });
  expect(moneyOf(counts, { usdRate: null, recoveredPatients: 4 })).toEqual({
    callCost: null,
    net: null,
    costPerRecovered: null,
    netPerRecovered: null,
  });
});

test('a day without a case counts nothing', () => {
  const day = { ...noCases, date: '2026-10-02', opened: 5 };

  expect(onEveryDay({ from: '2026-10-01', until: '2026-10-02' }, [day])).toEqual([
    {
      date: '2026-10-01',
      opened: 0,
      ended: 0,
      recovered: 0,
      alreadyCompleted: 0,
      lost: 0,
      called: 0,
      reached: 0,
      calls: 0,
      valueRecovered: 0,
      valueLost: 0,
      callCostUsd: 0,
      callSeconds: 0,
    },
    day,
  ]);
});

test('a period is over as the day after it begins on the clinic’s clock', () => {
  expect(spanOf({ from: '2026-03-08', until: '2026-03-08' }, 'America/Denver')).toEqual({
    from: '2026-03-08T07:00:00.000Z',
    until: '2026-03-09T06:00:00.000Z',
    zone: 'America/Denver',
  });
  expect(monthFrom('2028-02-01')).toEqual({ from: '2028-02-01', until: '2028-02-29' });
});

const well = { failuresInARow: 0, isPaused: false, waiting: 0 };

test.each([
  ['that is well', 1, {}, [1, 2, 1_000, null]],
  ['that has been well', 32, {}, [32, 64, 1_000, null]],
  ['that has been well for long', 64, {}, [64, 64, 1_000, null]],
  ['that is nearly behind', 2, { waiting: 7 }, [2, 4, 1_000, null]],
  ['that is behind', 2, { waiting: 8 }, [0, 2, 1_000, null]],
  ['that fails', 32, { failuresInARow: 1 }, [1, 1, 5_000, 'receiver']],
  ['that fails, with one on its way', 32, { failuresInARow: 1, waiting: 1 }, [0, 1, 5_000, 'receiver']],
  ['that is left alone', 32, { isPaused: true }, [0, 1, 5_000, 'receiver']],
])('deliveries are sent again to a receiver %s', (_what, pace, over, [count, next, waitMs, waitsFor]) => {
  expect(resendStep(pace, { ...well, ...over })).toEqual({ count, pace: next, waitMs, waitsFor });
});

test.each([
  ['relay', 60],
  ['reconcile', 300],
  ['fulfil', 300],
  ['mail', 180],
  ['another', 300],
])('%s is late after %s seconds', (duty, seconds) => {
  const now = new Date('2026-11-23T17:00:00.000Z');
  const passed = (ms: number) => new Date(now.getTime() - ms);

  expect(isLate(duty, passed(seconds * 1_000), now)).toBe(false);
  expect(isLate(duty, passed(seconds * 1_000 + 1), now)).toBe(true);
  expect(isLate(duty, null, now)).toBe(true);
});

test('which tasks of a clinic tell its operator that something is at fault', () => {
  expect(faultReasons).toEqual({
    runs: ['workflow_failed', 'records_incomplete'],
    voice: ['platform_fault', 'call_lost'],
    systems: ['booking_to_check', 'clinic_system_not_told', 'crm_sync_failed'],
    setup: ['voice_key_unreadable', 'voice_setup_fault', 'endpoint_failing', 'signing_secret_unreadable'],
    alarms: expect.arrayContaining(['bulk_reads', 'emergency_access', 'records_exported', 'refused_sign_ins']),
  });
});

test('for how many days contents are kept, and may be', () => {
  const days = retentionKinds.map((kind) => {
    const { minDays, maxDays } = retentionLimits(kind);
    return `${kind}: ${retentionDefaults[kind]} of ${minDays} to ${maxDays}`;
  });

  expect(days).toEqual([
    'inbound_payloads: 90 of 7 to 3653',
    'tool_contents: 90 of 7 to 3653',
    'event_bodies: 90 of 7 to 3653',
    'sent_messages: 30 of 7 to 3653',
    'stored_answers: 30 of 7 to 3653',
    'call_evidence: 365 of 7 to 3653',
    'call_decisions: 2190 of 2190 to 3653',
    'observed_exchanges: 30 of 7 to 3653',
  ]);
  expect([...retentionKinds, 'toString', ''].filter(isRetentionKind)).toEqual(retentionKinds);
});
