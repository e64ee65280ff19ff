import { Button, Group, Text } from '@mantine/core';
import * as api from '#api';
import { offered, useAction } from '#forms';
import { codeOf } from '#http';
import { forgetUndo, sayDone, sayDoneOrUndo, sayFailed } from '#parts';
import { t } from '#texts';
import { bookingAreas, refusalOf } from './bookable';

type Visit = Pick<api.AppointmentRecord, 'id' | 'startsAt' | 'status'>;
type Note = api.PostAppointmentsByAppointmentIdAttendanceData['body']['status'];

const notes: Record<Note, { key: string; does: string; words: string }> = {
  arrived: { key: 'a', does: t`Arrived`, words: t`here, checked in` },
  noshow: { key: 'n', does: t`No-show`, words: t`missed` },
  fulfilled: { key: 'l', does: t`Left`, words: t`seen` },
  booked: { key: 'u', does: t`Take back`, words: '' },
};

/** Notes what became of a visit; it can be taken back where it was said. */
function useNote() {
  const note = useAction(api.postAppointmentsByAppointmentIdAttendanceMutation(), {
    // Told where the row of the visit is gone by then, too.
    onDone({ followUp }, { path, body: { status } }) {
      forgetUndo(path.appointmentId);
      if (status !== 'noshow') {
        if (followUp === 'made') sayDone(t`Noted. The patient has been called about the missed visit already.`);
        return;
      }
      sayDoneOrUndo(
        followUp === 'due'
          ? t`Noted: no-show. The patient is called about another time, a minute from now at the soonest.`
          : t`Noted: no-show.`,
        path.appointmentId,
        () => note.mutate({ path, body: { status: 'booked' } }),
      );
    },
    onRefused: (error) =>
      sayFailed({ message: codeOf(error) === 'conflict' ? t`This visit has not begun yet.` : refusalOf(error) }),
    refresh: bookingAreas,
  });
  return (visit: Visit, status: Note) => {
    if (visit.status !== status) note.mutate({ path: { appointmentId: visit.id }, body: { status } });
  };
}

const isTooEarly = (note: Note, { status, startsAt }: Visit) =>
  (note === 'noshow' || (note === 'fulfilled' && status !== 'arrived')) && startsAt > new Date().toISOString();

/** What else may be noted. A visit that nobody has noted anything of is `fulfilled` once it is over: the patient may have missed it. */
const possibleOf: Record<Visit['status'], Note[]> = {
  booked: ['arrived', 'noshow'],
  arrived: ['fulfilled', 'booked'],
  fulfilled: ['noshow', 'booked'],
  noshow: ['arrived', 'booked'],
  cancelled: [],
};

interface AttendanceProps {
  visit: Visit;
  /** Which one it is, for those who only hear the buttons: its patient, or its time. */
  name: string;
  /** ⌘K offers it while its page is open. */
  isFound?: true;
}

/** Notes what became of a visit of today, by the mouse, by a key while its row has the focus, or from ⌘K. */
export function Attendance({ visit, name, isFound }: AttendanceProps) {
  const note = useNote();
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {possibleOf[visit.status].map((each) => {
        const { key, does, words } = notes[each];
        return (
          <Button
            key={each}
            size="compact-xs"
            variant="default"
            // The key says why it is too early.
            aria-disabled={isTooEarly(each, visit) || undefined}
            data-disabled={isTooEarly(each, visit) || undefined}
            data-key={key}
            {...offered(isFound && words, does, name)}
            aria-label={`${does}: ${name}`}
            onClick={() => note(visit, each)}
          >
            <Text span size="xs">
              {does}
            </Text>
          </Button>
        );
      })}
    </Group>
  );
}
