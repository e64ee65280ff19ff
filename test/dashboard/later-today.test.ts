import { laterToday } from '../../dashboard/pages/tasks/later-today';

const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

test.each<[now: string, offered: string[]]>([
  ['02:10', ['08:00']],
  ['05:00', ['08:00']],
  ['06:20', ['08:00', '09:30']],
  ['09:01', ['10:15', '12:15']],
  ['15:00', ['16:00', '18:00']],
  ['15:01', ['16:15']],
  ['17:01', []],
  ['23:30', []],
])('at %s a call is tried again at %j of the same day', (now, offered) => {
  expect(laterToday(minuteOf(now))).toEqual(offered.map(minuteOf));
});
