import { t, Trans } from '#texts';
import { DayAndTime, Moment, Quiet } from '#words';

/** Who paused calls, when and for how long. */
export const PauseWords = ({ by, pausedAt, until }: { by: string; pausedAt: string; until: string | null }) => (
  <Quiet>
    <Trans>
      Paused by {by}, <Moment at={pausedAt} />.
    </Trans>{' '}
    {until === null ? (
      t`Until somebody resumes it.`
    ) : (
      <Trans>
        Until <DayAndTime at={until} />.
      </Trans>
    )}
  </Quiet>
);
