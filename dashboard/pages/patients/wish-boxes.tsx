import { NativeSelect, SimpleGrid } from '@mantine/core';
import { TimeField } from '#forms';
import { t } from '#texts';
import { formatWallTime, optionsOf } from '#words';
import { languages, type Wishes } from './call-wishes';

/** When and in which language a patient asked to be called, as the boxes of a form hold it. */
export type TypedWishes = Record<'callFrom' | 'callUntil' | 'language', string>;

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
    <TimeField {...field('callFrom')} />
    <TimeField placeholder={formatWallTime('19:30')} {...field('callUntil')} />
    <NativeSelect data={[{ value: '', label: t`Not said` }, ...optionsOf(languages)]} {...field('language')} />
  </SimpleGrid>
);

const isLanguage = (value: string): value is keyof typeof languages => Object.hasOwn(languages, value);
