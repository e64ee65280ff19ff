import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type ReactNode, Suspense, useState } from 'react';
import type * as api from '#api';
import { Dialog } from '#forms';
import { t } from '#texts';
import { displayNameOf, useWhen } from './bookable';
import { AppointmentBlock, MoveBlock, type Time } from './calendar-dialogs';
import { BookingForm, CancelForm } from './forms-on-demand';

type Booked = api.CalendarEntry;

/** What somebody is about to do in the calendar. */
type Asked =
  | { kind: 'book'; time: Time }
  | { kind: 'appointment'; appointment: Booked }
  | { kind: 'cancel'; appointment: Booked }
  | { kind: 'move'; appointment: Booked; time: Time };

export interface Actions {
  /** The appointment that another time is being chosen for. */
  moving: Booked | null;
  /** Gives that up. */
  keep: () => void;
  pick: (block: Time & { appointment: Booked | null }) => void;
  drop: (appointment: Booked, time: Time) => void;
  dialog: ReactNode;
}

/** Booking, moving and cancelling, as far as they have come. What is picked stays while weeks and providers are leafed through. */
export function useActions(providers: api.Provider[], show: (booked: Time) => void): Actions {
  const when = useWhen();
  const [moving, setMoving] = useState<Booked | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, { open, close }] = useDisclosure(false);
  const ask = (next: Asked) => {
    setAsked(next);
    open();
  };
  const keep = () => setMoving(null);
  useHotkeys([['Escape', () => !isOpen && keep()]]);

  const moveTo = (appointment: Booked, { providerName, startsAt }: Time) => {
    const isSameTime = Date.parse(startsAt) === Date.parse(appointment.startsAt);
    if (isSameTime && providerName === appointment.providerName) return;
    ask({ kind: 'move', appointment, time: { providerName, startsAt } });
  };
  const pick: Actions['pick'] = ({ appointment, providerName, startsAt }) => {
    const time = { providerName, startsAt };
    if (moving) moveTo(moving, time);
    else ask(appointment ? { kind: 'appointment', appointment } : { kind: 'book', time });
  };
  const about = asked && aboutOf(asked, { providers, when, show, close, keep, setMoving, setAsked });
  const dialog = (
    <Suspense fallback={null}>
      <Dialog opened={isOpen} onClose={close} title={about?.title} size={asked?.kind === 'book' ? 'lg' : undefined}>
        {about?.content}
      </Dialog>
    </Suspense>
  );
  return { moving, keep, pick, drop: moveTo, dialog };
}

/** What the dialog is called, and what it holds. */
function aboutOf(
  asked: Asked,
  {
    providers,
    when,
    show,
    close,
    keep,
    setMoving,
    setAsked,
  }: {
    providers: api.Provider[];
    when: (startsAt: string) => string;
    show: (booked: Time) => void;
    close: () => void;
    keep: () => void;
    setMoving: (appointment: Booked) => void;
    setAsked: (asked: Asked) => void;
  },
): { title: string; content: ReactNode } {
  switch (asked.kind) {
    case 'book': {
      const done = (booked?: Time) => {
        close();
        if (booked) show(booked);
      };
      return {
        title: t`Book ${when(asked.time.startsAt)} with ${displayNameOf(providers, asked.time.providerName)}`,
        content: <BookingForm time={asked.time} onDone={done} />,
      };
    }
    case 'appointment': {
      const { appointment } = asked;
      const move = () => {
        setMoving(appointment);
        close();
      };
      const cancel = () => setAsked({ kind: 'cancel', appointment });
      return {
        title: t`Appointment`,
        content: <AppointmentBlock appointment={appointment} onClose={close} onCancel={cancel} onMove={move} />,
      };
    }
    case 'cancel':
      return {
        title: t`Cancel this appointment?`,
        content: (
          <CancelForm
            appointment={asked.appointment}
            about={`${asked.appointment.patientName || t`Name not given`}, ${when(asked.appointment.startsAt)}`}
            onDone={close}
          />
        ),
      };
    case 'move': {
      const done = () => {
        close();
        keep();
      };
      return {
        title: t`Move this appointment?`,
        content: <MoveBlock appointment={asked.appointment} time={asked.time} onClose={close} onDone={done} />,
      };
    }
  }
}
