import { setTimeout as delay } from 'node:timers/promises';
import type { Clinic } from '../house';
import { ask } from '../http';
import { scenario, type Stage } from '../stage';
import type { Manners } from '../sink';

interface Receivers {
  /** Events to the bad receiver, in every one of its moods. */
  outcomes: number;
  moods: Manners[];
}

const RETRY_AFTER_SECONDS = 3;

const moods: Manners[] = [
  { kind: 'answers', status: 500 },
  { kind: 'answers', status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
  { kind: 'answers', status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  { kind: 'drips' },
  { kind: 'floods', megabytes: 100 },
  { kind: 'hangs' },
];

export const badReceiver = scenario<Receivers>({
  id: 'F10',
  title: 'one clinic’s receiver fails in every way',
  numbers: {
    pr: { outcomes: 60, moods: [{ kind: 'hangs' }] },
    nightly: { outcomes: 600, moods },
    release: { outcomes: 1_000, moods },
  },
  // Some 3,600 events that are sent again.
  drainsWithinSeconds: 120,
  mayRedeliver: true,
  async play(stage, { outcomes, moods: chosen }) {
    const { load, house } = stage;
    const [healthy, bad] = house.clinics;
    if (!healthy || !bad) throw new Error('the house has two clinics');
    for (const mood of chosen) {
      house.sink.manners(bad.clinicId, mood);
      // Without a phone a case ends at once: all events go out in a burst.
      load.begin({
        perSecond: 60,
        atLeast: Math.ceil(outcomes / 2),
        phones: 0,
        bookings: 0,
        copies: 1,
        completions: 0,
        clinic: bad,
      });
      await delay(1_500);
      await load.finish();
      // From here on only its receiver is behind: what the machine has to do for its cases is another matter.
      await untilEnded(stage);
      load.begin({ perSecond: 2, atLeast: 15, phones: 0, bookings: 0, copies: 1, completions: 0, clinic: healthy });
      await load.finish();
      await delay(1_000);
    }
    const p99 = await healthyDelay(stage, healthy);
    house.sink.manners(bad.clinicId, { kind: 'answers', status: 200 });
    await resendAll(stage, bad);
    return { healthyP99Seconds: p99 };
  },
});

async function untilEnded({ house, prefix, patience }: Stage): Promise<void> {
  for (const deadline = Date.now() + 120_000 * patience; Date.now() < deadline; await delay(500)) {
    if ((await house.records.backlog(prefix)).cases === 0) return;
  }
  throw new Error('the cases of the clinic with the bad receiver do not end');
}

/** The healthy clinic's events are out in under two seconds, whatever the other one's receiver does. */
async function healthyDelay({ house, prefix, patience, recoveries }: Stage, { clinicId }: Clinic): Promise<string> {
  const withinSeconds = 2 * patience;
  const seconds = (await house.records.deliverySeconds(prefix, clinicId)).toSorted((a, b) => a - b);
  const p99 = seconds[Math.ceil(seconds.length * 0.99) - 1] ?? Infinity;
  recoveries.push({ what: 'p99 to the healthy receiver', seconds: p99, withinSeconds });
  return p99.toFixed(2);
}

/** What staff do once the receiver is well again. */
async function resendAll({ house, patience }: Stage, { token }: Clinic): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const list = async (state: string) => {
    const url = `${house.baseUrl}/deliveries?state=${state}&limit=200`;
    const { text } = await ask({ url, headers, timeoutMs: 20_000 });
    return (JSON.parse(text) as { items?: { deliveryId?: string; id?: string }[] }).items ?? [];
  };
  for (const deadline = Date.now() + 60_000 * patience; Date.now() < deadline; await delay(1_000)) {
    const waiting = [...(await list('PENDING')), ...(await list('DEAD'))];
    if (waiting.length === 0) return;
    for (const { deliveryId, id } of waiting) {
      const url = `${house.baseUrl}/deliveries/${deliveryId ?? id}/resend`;
      // 409 while an attempt is under way.
      await ask({ method: 'POST', url, headers, timeoutMs: 20_000 }).catch(() => null);
    }
  }
}
