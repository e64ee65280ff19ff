import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type * as Api from '../http/client/types.gen';
import { servicesSentence } from './code-words';
import { DayAndTime } from './moment';
import { PlainList } from './plain-list';

type Preview = Api.CallingPreview;

/**
 * Who would be called, who waits and who is skipped, with the reasons. `isResuming` takes those whom only the pause holds
 * back for called.
 */
export function PreviewCounts({ preview, isResuming = false }: { preview: Preview; isResuming?: boolean }) {
  const { called, waiting, skipped, runs, isComplete } = preview;
  const held = isResuming ? waiting.filter(({ reason }) => reason === 'paused') : [];
  const due = held.reduce((sum, { patients: count }) => sum + count, called.patients);
  return (
    <>
      <PlainList label={t`Who would be called`}>
        <Text size="sm">
          <Trans>
            <strong>{patients(due)}</strong> would be called now, as lines get free.
          </Trans>
        </Text>
        {waiting
          .filter((each) => !held.includes(each))
          .map((each) => ({ ...each, why: servicesSentence(each.why) }))
          .map(({ reason, why, from, patients: count }) => (
            <Text key={reason} size="sm">
              <Trans>
                <strong>{patients(count)}</strong> would wait. {why}
              </Trans>
              {from && reason !== 'paused' && (
                <>
                  {' '}
                  <Trans>
                    The first from <DayAndTime at={from} />.
                  </Trans>
                </>
              )}
            </Text>
          ))}
        {skipped.map(({ reason, why, patients: count }) => (
          <Text key={reason} size="sm">
            <Trans>
              <strong>{patients(count)}</strong> would not be called. {why}
            </Trans>
          </Text>
        ))}
      </PlainList>
      {!isComplete && (
        <Text size="sm" c="dimmed">
          <Trans>There are more open workflows than the first {runs}, which these are.</Trans>
        </Text>
      )}
    </>
  );
}

const patients = (count: number) => plural(count, { 0: 'Nobody', one: '# patient', other: '# patients' });
