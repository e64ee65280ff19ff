import { Text } from '@mantine/core';
import type * as api from '#api';
import { PlainList } from '#lists';
import { plural, t, Trans } from '#texts';
import { DayAndTime, Quiet } from '#words';
import { callRules } from './call-rules';

interface Props {
  preview: api.CallingPreview;
  /** Why those wait who are paused. */
  paused?: string;
}

/** Who would be called, who waits and who is skipped, with the reasons. */
export function PreviewCounts({ preview, paused = callRules.paused }: Props) {
  const { called, waiting, skipped, runs, isComplete } = preview;
  return (
    <>
      <PlainList label={t`Who would be called`}>
        <Text size="sm">
          <Trans>
            <strong>{patients(called.patients)}</strong> would be called now, as lines get free.
          </Trans>
        </Text>
        {waiting.map(({ reason, from, patients: count }) => (
          <Text key={reason} size="sm">
            <Trans>
              <strong>{patients(count)}</strong> would wait. {reason === 'paused' ? paused : callRules[reason]}
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
        {skipped.map(({ reason, patients: count }) => (
          <Text key={reason} size="sm">
            <Trans>
              <strong>{patients(count)}</strong> would not be called. {callRules[reason]}
            </Trans>
          </Text>
        ))}
      </PlainList>
      {!isComplete && <Quiet>{t`There are more open workflows than the first ${runs}, which these are.`}</Quiet>}
    </>
  );
}

const patients = (count: number) => plural(count, { 0: 'Nobody', one: '# patient', other: '# patients' });
