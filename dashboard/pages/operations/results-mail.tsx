import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { Loaded, Section } from '#parts';
import { t } from '#texts';

/** Whether the results of each month come by mail. */
export function ResultsByMail() {
  const found = useQuery(api.getResultsMailOptions());
  const change = useAction(api.putResultsMailMutation(), { refresh: ['resultsMail'] });
  return (
    <Section title={t`Each month by mail`}>
      <Loaded query={found} rows={1}>
        {({ isWanted, hasMail, email }) => (
          <Checkbox
            label={t`By mail to ${email}`}
            description={
              <>
                {t`On the first day of the next month: what was recovered, what it was worth and what calls cost, with a chart. It names no patient.`}
                {!hasMail && ` ${t`This service sends no mail: its operator has set no mail server.`}`}
              </>
            }
            checked={change.isPending ? change.variables.body.isWanted : isWanted}
            disabled={!hasMail}
            onChange={({ currentTarget }) => change.mutate({ body: { isWanted: currentTarget.checked } })}
          />
        )}
      </Loaded>
    </Section>
  );
}
