import { createPatientAudit, type ServedRequest } from '@clinic/api/http/patient-audit';

/** Of an API key, for a route that changes records or only shows them. */
const served = (isChange: boolean) =>
  ({
    route: { method: 'post', path: '/x', patientData: { action: 'x', ...(isChange && { isChange }) } },
    caller: { kind: 'api-key', keyId: 'key', clinicId: 'clinic', address: '' },
    request: { id: 'request' },
    query: {},
  }) as unknown as ServedRequest;

/** A database that gives no connection the first times. */
function busy(times: number) {
  const writeRequest = jest.fn().mockResolvedValue(undefined);
  for (let time = 0; time < times; time += 1) writeRequest.mockRejectedValueOnce(new Error('no connection'));
  return { writeRequest, note: createPatientAudit({ stores: { audit: { writeRequest } as never } }) };
}

test('a change that is committed is noted as soon as there is a connection; a read that cannot be noted is not shown', async () => {
  const [change, read, never] = [busy(2), busy(1), busy(9)];

  await change.note(served(true), { subjects: ['patient'] });

  expect(change.writeRequest).toHaveBeenCalledTimes(3);
  await expect(read.note(served(false), { subjects: ['patient'] })).rejects.toThrow('no connection');
  expect(read.writeRequest).toHaveBeenCalledTimes(1);
  await expect(never.note(served(true), { subjects: ['patient'] })).rejects.toThrow('no connection');
});

test('a reply that is repeated shows whom the first one was about, and changes nobody again', async () => {
  const { writeRequest, note } = busy(0);

  await note(served(true), { subjects: ['patient'] });
  await note(served(true), { subjects: ['patient'], isRepeated: true });

  expect(writeRequest.mock.calls.map(([{ isRead, subjects }]) => [isRead, subjects])).toEqual([
    [false, ['patient']],
    [true, ['patient']],
  ]);
});
