import type { Database } from '@clinic/prisma/client';
import { createClinic } from '@clinic/accounts/seed';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { newId } from '@clinic/shared/crypto';
import { isAbandoned } from './demo-receiver';
import { type DevClinic, type DevStack, rememberClinic } from './dev-file';
import { localKeys } from './environment';

export interface BorrowedClinic {
  clinic: DevClinic;
  /** The clinic's events go to no URL again, as before. */
  giveBack: () => Promise<void>;
}

/**
 * Returns a demo clinic whose events are sent to `url` for as long as a demo lasts. A clinic that sends its events somewhere
 * else is passed over, and so is one that is calling this phone, because the demo would have to wait. When none is left,
 * a new one is made. So demos do not disturb each other, nor anybody else.
 */
export async function borrowClinic(about: {
  url: string;
  phone: string;
  database: Database;
  dev: DevStack;
  say: (line: string) => void;
}): Promise<BorrowedClinic> {
  const { url, dev, database, say } = about;
  for (const clinic of dev.clinics) {
    const borrowed = await tryToBorrow(clinic, about);
    if (borrowed) return borrowed;
  }
  say('Every demo clinic is in use; making another one for this demo …');
  const name = `Demo clinic ${newId().slice(-6)}`;
  const seeding = { database, ...localKeys(dev) };
  const clinic = await createClinic(seeding, { name, timezone: 'America/Denver', demo: true, outboundUrl: url });
  rememberClinic(clinic);
  return { clinic, giveBack: () => stopSending(database, { clinicId: clinic.clinicId, url }) };
}

/** Null for a clinic that is in use, or whose calls are no scenes. */
async function tryToBorrow(
  clinic: DevClinic,
  { url, phone, database: { prisma }, database }: { url: string; phone: string; database: Database },
): Promise<BorrowedClinic | null> {
  const { clinicId } = clinic;
  const isDemo = await prisma.clinic.count({ where: { id: clinicId, isDemo: true, voiceProvider: 'simulator' } });
  const earlier = await prisma.receiver.findFirst({ where: { clinicId, isFirst: true } });
  if (isDemo === 0 || !earlier) return null;
  if (earlier.url !== null && !(await isAbandoned(earlier.url))) return null;
  const open = { clinicId, status: { in: ['PENDING', 'CALLING'] }, patient: { phone } };
  if ((await prisma.recoveryCase.count({ where: open })) > 0) return null;
  // Only while the URL is still the one that was read: another demo may be borrowing the same clinic.
  const { count } = await prisma.receiver.updateMany({
    where: { clinicId, isFirst: true, url: earlier.url },
    data: { url, isEnabled: true, disabledReason: null, events: defaultOutboundEvents },
  });
  if (count === 0) return null;
  const { isEnabled, disabledReason, events } = earlier;
  return { clinic, giveBack: () => stopSending(database, { clinicId, url, isEnabled, disabledReason, events }) };
}

/** Takes our URL out again, unless somebody has set another one in the meantime. */
async function stopSending(
  { prisma }: Database,
  {
    clinicId,
    url,
    ...before
  }: { clinicId: string; url: string; isEnabled?: boolean; disabledReason?: string | null; events?: string[] },
): Promise<void> {
  const { isEnabled, disabledReason, events } = before;
  await prisma.receiver.updateMany({
    where: { clinicId, isFirst: true, url },
    data: { url: null, isEnabled, disabledReason, events },
  });
}
