import type { AccountSessions } from '@clinic/shared/contracts/accounts/accounts';
import type { AccountSessionRecord } from '@clinic/prisma/stores/accounts/account-sessions';
import type { z } from 'zod';

/** Open sessions as they are shown; `currentId` is that of anyone who asks. */
export const toSessions = (sessions: AccountSessionRecord[], currentId: string): z.infer<typeof AccountSessions> => ({
  items: sessions.map(({ id, createdAt, usedAt, expiresAt, address, userAgent }) => ({
    id,
    isCurrent: id === currentId,
    createdAt: createdAt.toISOString(),
    usedAt: usedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address: address || null,
    userAgent: userAgent || null,
  })),
});
