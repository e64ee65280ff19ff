import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import * as api from '#api';
import { onDemand, useMay } from '#parts';

const LiveCalls = onDemand(async () => (await import('./live-calls')).LiveCalls);

/**
 * Who is on the phone with a voice agent now, what they want, what was done for them so far, and the way to make it one's own; of
 * one patient where one is named. Nothing where nobody is.
 */
export function CallsUnderWay({ patientId }: { patientId?: string }) {
  const may = useMay();
  const calls = useQuery({ ...api.getCallsUnderWayOptions(), enabled: may('workflows') && may('patients.read') });
  const items = (calls.data?.items ?? []).filter(({ patient }) => patientId === undefined || patient.id === patientId);
  if (items.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <LiveCalls items={items} />
    </Suspense>
  );
}
