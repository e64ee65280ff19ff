/** After `g`, the key of a page. */
export const pageKeys: Record<string, string> = {
  m: '/my-day',
  o: '/',
  r: '/cases',
  c: '/calls',
  q: '/queue',
  t: '/tasks',
  e: '/results',
  p: '/patients',
  k: '/calendar',
  d: '/deliveries',
  u: '/runs',
};
