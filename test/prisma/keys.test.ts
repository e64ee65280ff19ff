import { sha256Hex } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const keys = () => records.stores.keys;
const secretsOf = (name: string) =>
  records.database.prisma.secret.findMany({
    where: { clinicId: records.clinicId, name },
    orderBy: { createdAt: 'desc' },
  });
const digests = async (name: string, clinicId = records.clinicId) =>
  (await keys().inboundDigests(clinicId, name)).map(({ hash }) => hash);

describe('an inbound secret', () => {
  test('that is replaced lives on for a day beside the new one, newest first', async () => {
    const name = 'forms-abandoned';
    const [first, second] = [
      await keys().rotateInbound(records.clinicId, name),
      await keys().rotateInbound(records.clinicId, name),
    ];
    const [, old] = await secretsOf(name);
    const hoursLeft = ((old?.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;

    expect(await digests(name)).toEqual([sha256Hex(second), sha256Hex(first)]);
    expect(hoursLeft).toBeGreaterThan(23.9);
    expect(hoursLeft).toBeLessThanOrEqual(24);
    expect(await digests(name, records.otherClinicId)).toEqual([]);
    expect(await digests('forms-completed')).toEqual([]);
  });

  test('is one of two, never of three', async () => {
    const name = 'appointment-created';
    await keys().rotateInbound(records.clinicId, name);
    const second = await keys().rotateInbound(records.clinicId, name);
    const third = await keys().rotateInbound(records.clinicId, name);

    expect(await digests(name)).toEqual([sha256Hex(third), sha256Hex(second)]);
  });

  test('that several replace at once leaves two', async () => {
    const name = 'payment-failed';
    await Promise.all(Array.from({ length: 4 }, () => keys().rotateInbound(records.clinicId, name)));

    const live = await secretsOf(name);
    expect(live).toHaveLength(2);
    expect(live.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
  });

  test('whose day is over opens nothing', async () => {
    const name = 'appointment-approaching';
    await keys().rotateInbound(records.clinicId, name);
    const current = await keys().rotateInbound(records.clinicId, name);
    const [, old] = await secretsOf(name);
    await records.database.prisma.secret.update({
      where: { id: old?.id },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });

    expect(await digests(name)).toEqual([sha256Hex(current)]);
    expect((await keys().listInbound(records.clinicId)).filter((one) => one.name === name)).toHaveLength(1);
    expect(await keys().retirePreviousInbound(records.clinicId, name)).toBe(false);
  });

  test('that was replaced can be retired at once; the current one cannot', async () => {
    const name = 'patient-follow-up-required';
    await keys().rotateInbound(records.clinicId, name);
    const current = await keys().rotateInbound(records.clinicId, name);

    expect(await keys().retirePreviousInbound(records.otherClinicId, name)).toBe(false);
    expect(await keys().retirePreviousInbound(records.clinicId, name)).toBe(true);
    expect(await keys().retirePreviousInbound(records.clinicId, name)).toBe(false);
    expect(await digests(name)).toEqual([sha256Hex(current)]);
  });
});

describe('a signing secret', () => {
  test('that is replaced still signs for a day, and is stored encrypted', async () => {
    const { otherClinicId: clinicId } = records;
    const [first, second] = [await keys().rotateSigning(clinicId), await keys().rotateSigning(clinicId)];

    expect(await keys().signingSecrets(clinicId)).toEqual([second, first]);
    const stored = await records.database.prisma.secret.findMany({ where: { clinicId, kind: 'outbound-signing' } });
    expect(JSON.stringify(stored)).not.toContain(first);
    await records.database.prisma.secret.updateMany({
      where: { clinicId, expiresAt: { not: null } },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });
    expect(await keys().signingSecrets(clinicId)).toEqual([second]);
    expect(await keys().listSigning(clinicId)).toHaveLength(1);
  });

  test('does not decrypt in the row of another clinic', async () => {
    await keys().rotateSigning(records.clinicId);
    await records.database.prisma.secret.updateMany({
      where: { clinicId: records.clinicId, kind: 'outbound-signing' },
      data: { clinicId: records.otherClinicId, name: 'moved' },
    });

    await expect(keys().signingSecrets(records.otherClinicId)).rejects.toThrow();
  });
});

describe('an API key', () => {
  test('names its clinic until it is revoked, once', async () => {
    const { id, key } = await keys().createApiKey({ clinicId: records.clinicId, name: 'A key' });

    expect(await keys().clinicOfApiKey(key)).toEqual({ id, clinicId: records.clinicId });
    expect(await keys().clinicOfApiKey(`${key}x`)).toBeNull();
    expect(await keys().revokeApiKey(records.otherClinicId, id)).toBe(false);
    expect(await keys().clinicOfApiKey(key)).not.toBeNull();
    expect(await keys().revokeApiKey(records.clinicId, id)).toBe(true);
    expect(await keys().revokeApiKey(records.clinicId, id)).toBe(false);
    expect(await keys().clinicOfApiKey(key)).toBeNull();
    expect((await keys().listApiKeys(records.clinicId)).map((one) => one.id)).not.toContain(id);
  });

  test('is stored as a digest alone', async () => {
    const { id, key } = await keys().createApiKey({ clinicId: records.clinicId, name: 'Another key' });

    const stored = await records.database.prisma.apiKey.findUniqueOrThrow({ where: { id } });

    expect(JSON.stringify(stored)).not.toContain(key);
    expect(stored.hash).toBe(sha256Hex(key));
  });
});
