import { Text } from '@mantine/core';
import type * as api from '#api';
import { t, Trans } from '#texts';
import { ClockTime, DayAndTime } from '#words';
import { askedHours } from './asked-hours';
import { callRules } from './call-rules';
import classes from './tools.module.css';

/** Why a call was placed or not, decision by decision, each with what it was made of. */
export const WhyCalled = ({ decisions }: { decisions: api.CallDecision[] }) => (
  <ul className={classes.tools} aria-label={t`Decisions`}>
    {decisions.map((decision) => (
      <li key={`${decision.stage}-${decision.at}-${decision.rule}`}>
        <details>
          <summary className={classes.summary}>
            <Text size="sm" component="span">
              <ClockTime at={decision.at} withSeconds />: <Why decision={decision} />
            </Text>
          </summary>
          <div className={classes.inputs}>
            <pre className={classes.json} tabIndex={0} aria-label={t`What it was decided by`}>
              {JSON.stringify(decision.inputs, null, 2)}
            </pre>
          </div>
        </details>
      </li>
    ))}
  </ul>
);

/** What is paused goes on when somebody resumes it: `until` is only when the workflow looks again. */
export const Why = ({ decision: { until, rule, inputs } }: { decision: api.CallDecision }) => (
  <>
    {whyOf(rule, inputs)}
    {until && rule !== 'paused' && (
      <>
        {' '}
        <Trans>
          Until <DayAndTime at={until} />.
        </Trans>
      </>
    )}
  </>
);

/** Where the hours that the patient asked for may have decided, they stand in the sentence. */
function whyOf(rule: api.CallRule, inputs: api.CallDecision['inputs']): string {
  const asked = askedHours(inputs);
  if (rule === 'preferred_hours') return asked ?? callRules[rule];
  const isAboutThem = rule === 'no_preferred_hours' || rule === 'too_late';
  return isAboutThem && asked !== null ? `${asked} ${callRules[rule]}` : callRules[rule];
}
