import { useState } from 'react';
import type * as api from '#api';
import { codeOf } from '#http';
import { PlainButton, useZone } from '#parts';
import { t } from '#texts';
import { nameOf, wallClock } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { refusalOf, useBook, useBookable } from './bookable';
import { Choosing } from './choosing';
import { OverrideBooking } from './override';
import { type ChosenSlot, TimeFields, useTimeChoice } from './time-choice';
import { seeingNew, useIsNew, useVisitType, VisitType } from './visit-type';

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
  const book = useBook({
    patientName: patient ? nameOf(patient) : '',
    onDone,
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
      isSaving={book.isPending}
      verb={t`Book`}
      onCancel={() => onDone()}
      onConfirm={(slot) => patientId && book.mutate({ body: { patientId, ...slot, visitType } })}
    >
      {given === undefined && <PatientSelect label={t`Patient`} value={found} onChange={setFound} autoFocus />}
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
