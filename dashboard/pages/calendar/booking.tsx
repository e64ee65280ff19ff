import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { codeOf } from '#http';
import { PlainButton, sayDoneOr, useZone } from '#parts';
import { t } from '#texts';
import { nameOf, Quiet, wallClock } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { refusalOf, useBook, useBookable, useWhen } from './bookable';
import { Choosing } from './choosing';
import { OverrideBooking } from './override';
import { type ChosenSlot, TimeFields, useTimeChoice } from './time-choice';
import { seeingNew, useIsNew, useVisits, useVisitType, VisitType } from './visit-type';
import { leaving } from './waiting';

interface BookingFormProps {
  /** Whom it is for; somebody who is found here where it is left out. */
  patient?: api.PatientName;
  /** The time that was chosen already. */
  time?: ChosenSlot;
  /** Of whose calendar somebody comes. */
  providerName?: string;
  /** With what was booked, if anything was. */
  onDone: (booked?: ChosenSlot) => void;
}

/** Books for a patient, from wherever that begins. The next open time of anybody is chosen until somebody asks for another. */
export function BookingForm({ patient: given, time, providerName, onDone }: BookingFormProps) {
  const providers = useBookable().data?.items ?? [];
  const zone = useZone();
  const [found, setFound] = useState<Parameters<typeof PatientSelect>[0]['value']>(null);
  const [isTimeFixed, setTimeFixed] = useState(time !== undefined);
  const patient = given ?? found;
  const isNew = useIsNew(patient?.id);
  const choice = useTimeChoice({
    fitting: isNew ? seeingNew(providers) : undefined,
    providerName: time?.providerName ?? providerName ?? null,
    day: time ? wallClock(time.startsAt, zone).date : null,
    takesFirst: true,
    isAsked: !isTimeFixed,
  });
  const askLeave = useLeavingWaitlist(patient);
  const book = useBook({
    patientName: patient ? nameOf(patient) : '',
    onDone(booked) {
      askLeave();
      onDone(booked);
    },
    onError() {
      setTimeFixed(false);
      choice.choose(null);
    },
  });
  const chosen = isTimeFixed && time ? time : choice.chosen;
  const patientId = patient?.id;
  const visit = useVisitType({
    providers,
    providerName: chosen?.providerName ?? choice.wish.providerName,
    isNew,
  });
  const visitType = visit.visitType.trim();
  return (
    <Choosing
      chosen={chosen}
      taken={choice.taken}
      providers={providers}
      refusal={book.error && refusalOf(book.error)}
      visitType={visitType}
      isReady={patientId !== undefined && visitType !== ''}
      isDirty={found !== null || choice.isDirty || visit.isDirty}
      isSaving={book.isPending}
      verb={t`Book`}
      onCancel={() => onDone()}
      onConfirm={(slot) => patientId && book.mutate({ body: { patientId, ...slot, visitType } })}
    >
      {given === undefined && <PatientSelect label={t`Patient`} value={found} onChange={setFound} autoFocus />}
      {given === undefined && <BookedAlready patientId={patientId} />}
      {isTimeFixed ? (
        <PlainButton size="xs" label={t`Choose another time`} onClick={() => setTimeFixed(false)} />
      ) : (
        <TimeFields choice={choice} providers={providers} autoFocus={given !== undefined} />
      )}
      <VisitType of={visit} />
      {time && patientId && codeOf(book.error) === 'slot_unavailable' && (
        <OverrideBooking patientId={patientId} time={time} />
      )}
    </Choosing>
  );
}

/** The next visit of whom is found here: their page, which shows it, is not open. */
function BookedAlready({ patientId }: { patientId: string | undefined }) {
  const when = useWhen();
  const now = new Date().toISOString();
  const next = useVisits(patientId)?.findLast(({ status, startsAt }) => status === 'booked' && startsAt > now);
  return next && <Quiet>{t`Booked already: ${when(next.startsAt)} with ${next.providerDisplayName}.`}</Quiet>;
}

/** Says of somebody who is booked that they wait for another time still, which may be what they wanted. */
function useLeavingWaitlist(patient: api.PatientName | null): () => void {
  const query = { patientId: patient?.id ?? '', open: 'true' as const, limit: 20 };
  const waiting = useQuery({ ...api.getWaitlistOptions({ query }), enabled: patient !== null });
  const leave = useAction(leaving.does, leaving);
  const entries = waiting.data?.items ?? [];
  return () => {
    if (!patient || entries.length === 0) return;
    const onClick = () => {
      for (const { id } of entries) leave.mutate({ path: { entryId: id } });
    };
    sayDoneOr(t`${nameOf(patient)} is still on the waitlist, for an earlier time.`, { label: t`Take off`, onClick });
  };
}
