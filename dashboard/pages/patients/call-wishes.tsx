import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import type * as api from '#api';
import { t } from '#texts';
import { optionsOf } from '#words';
import { callHours } from '../outreach/asked-hours';

type Wishes = Pick<api.PatientRecord, 'preferredCallHours' | 'preferredLanguage'>;
type Language = NonNullable<Wishes['preferredLanguage']>;

/** When and in which language a patient asked to be called, as the boxes of a form hold it. */
export type TypedWishes = Record<'callFrom' | 'callUntil' | 'language', string>;

const languages: Record<Language, string> = { en: t`English`, es: t`Spanish` };

export const wishLabels: TypedWishes = { callFrom: t`Call from`, callUntil: t`Call until`, language: t`Language` };

export const typedWishes = ({ preferredCallHours, preferredLanguage }: Partial<Wishes>): TypedWishes => ({
  callFrom: preferredCallHours?.from ?? '',
  callUntil: preferredCallHours?.until ?? '',
  language: preferredLanguage ?? '',
});

/** Only what was changed. */
export function changedWishes(stored: TypedWishes, { callFrom, callUntil, language }: TypedWishes): Partial<Wishes> {
  const hasOtherHours = callFrom !== stored.callFrom || callUntil !== stored.callUntil;
  const hours = { from: callFrom || null, until: callUntil || null };
  const isAnyTime = callFrom === '' && callUntil === '';
  return {
    ...(hasOtherHours && { preferredCallHours: isAnyTime ? null : hours }),
    ...(language !== stored.language && { preferredLanguage: isLanguage(language) ? language : null }),
  };
}

/** The box of what the service names by this path. */
export function wishBox(path: string): string {
  if (path === 'preferredLanguage') return 'language';
  if (path === 'preferredCallHours.until') return 'callUntil';
  return path.startsWith('preferredCallHours') ? 'callFrom' : path;
}

/** `field`: what the form gives to a box of this name. */
export const WishBoxes = ({ field }: { field: (name: keyof TypedWishes) => { label: string } }) => (
  <SimpleGrid cols={{ base: 2, xs: 3 }}>
    <TextInput type="time" {...field('callFrom')} />
    <TextInput type="time" {...field('callUntil')} />
    <NativeSelect data={[{ value: '', label: t`Not said` }, ...optionsOf(languages)]} {...field('language')} />
  </SimpleGrid>
);

/** The same in a few words; nothing where the patient asked for nothing. */
export const CallWishes = ({ preferredCallHours, preferredLanguage }: Wishes) => (
  <>
    {preferredCallHours && <span>{callHours(preferredCallHours)}</span>}
    {preferredLanguage && <span>{languages[preferredLanguage]}</span>}
  </>
);

const isLanguage = (value: string): value is Language => Object.hasOwn(languages, value);
