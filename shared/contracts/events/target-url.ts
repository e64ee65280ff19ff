import { HttpUrl } from '../primitives';

/** Refuses what can be known of an unusable address without connecting; the rest is refused when it is connected to. */
export const TargetUrl = HttpUrl.refine((text) => isPlainTarget(text), 'must not hold a user name or a fragment');

export const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;

function isPlainTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === '' && password === '' && hash === '';
}
