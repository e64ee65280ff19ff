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
  y: '/day-list',
  w: '/waitlist',
  d: '/deliveries',
  u: '/runs',
};
