import { createErasureActivities } from '@clinic/activities/erasures';
import type { Stores } from '@clinic/prisma/stores';
import type { ReplyPlace } from '@clinic/prisma/stores/patients/erased-rows';
import { createLog } from '@clinic/shared/log';
import { inActivity } from '../support/activity';

afterEach(() => jest.restoreAllMocks());

/** Forgets with a store that says where to go on, each time a second later: where it began each time, and where the next turn goes on. */
async function forgets(places: (ReplyPlace | null)[], after: ReplyPlace | null = null) {
  let now = 1_800_000_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const begun: (ReplyPlace | null)[] = [];
  const erasures = {
    find: async () => ({ state: 'ERASED' }),
    async forgetReplies(_erasure: unknown, from: ReplyPlace | null) {
      begun.push(from);
      now += 1_000;
      return places[begun.length - 1] ?? null;
    },
  };
  const { forgetErasedReplies } = createErasureActivities({
    stores: { erasures } as unknown as Stores,
    deleteHistoriesOf: async () => true,
    log: createLog({ process: 'test', level: 'silent' }),
  });
  const next = await inActivity(() => forgetErasedReplies({ clinicId: 'clinic', id: 'erasure', after }));
  return { begun, next };
}

const placeOf = (n: number): ReplyPlace => ({ route: 'POST /tools', key: `key-${n}` });

test('a turn of forgetting replies ends where nothing is left, or after four seconds where the next one goes on', async () => {
  const [one, two, three, four] = [placeOf(1), placeOf(2), placeOf(3), placeOf(4)];

  expect(await forgets([null])).toEqual({ begun: [null], next: null });
  expect(await forgets([two, null], one)).toEqual({ begun: [one, two], next: null });
  expect(await forgets([one, two, three, four, placeOf(5), null])).toEqual({
    begun: [null, one, two, three],
    next: four,
  });
});
