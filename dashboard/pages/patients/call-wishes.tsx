import { Badge } from '@mantine/core';
import type * as api from '#api';
import { t } from '#texts';
import { callHours } from '../outreach/asked-hours';

export type Wishes = Pick<api.PatientRecord, 'preferredCallHours' | 'preferredLanguage'>;
type Language = NonNullable<Wishes['preferredLanguage']>;

export const languages: Record<Language, string> = { en: t`English`, es: t`Spanish` };

/** When and in which language a patient asked to be called; nothing where the patient asked for nothing. */
export const CallWishes = ({ preferredCallHours, preferredLanguage }: Wishes) => (
  <>
    {preferredCallHours && <span>{callHours(preferredCallHours)}</span>}
    {preferredLanguage && <span>{languages[preferredLanguage]}</span>}
  </>
);

/** What must be known before a patient is called: that they are not to be. */
export const DoNotCall = ({ scope }: { scope: api.OptOut['scope'] }) => (
  <Badge color="red" variant="filled" miw="max-content">
    {scope === 'all' ? t`Do not call` : t`Do not call: recovery and reminders`}
  </Badge>
);
