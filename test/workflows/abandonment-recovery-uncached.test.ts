import { recoveryStories } from './recovery-stories';

describe('a recovery that is replayed from the start for every workflow task', () => {
  recoveryStories({ isCached: false });
});
