import { createLog } from '@clinic/shared/log';
import { patiently } from '@clinic/worker/patiently';

const log = createLog({ process: 'test', level: 'silent' });

test('a step of the start that fails is done again until it succeeds, and not once more', async () => {
  let tries = 0;
  const step = () => {
    tries += 1;
    return tries < 4 ? Promise.reject(new Error('Failed to create schedule')) : Promise.resolve('done');
  };

  const result = await patiently('not yet', step, { log, firstWaitMs: 1 });

  expect([result, tries]).toEqual(['done', 4]);
});
