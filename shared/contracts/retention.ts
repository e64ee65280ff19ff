import { z } from 'zod';
import { Instant } from './primitives';
import { retentionKinds, retentionLimits } from '../domain/retention';

const Days = z.int().min(retentionLimits.minDays).max(retentionLimits.maxDays);

const RetentionKindName = z.enum(retentionKinds).meta({ id: 'RetentionKind' });

/** `PUT /retention`: days by kind; null takes the default again, and what is not named stays as it is. */
export const ChangeRetention = z
  .strictObject(Object.fromEntries(retentionKinds.map((kind) => [kind, Days.nullable().optional()])))
  .meta({ id: 'ChangeRetention' });

export const RetentionView = z
  .object({
    items: z.array(
      z.object({
        kind: RetentionKindName,
        days: z.int().describe('For how many days its contents are kept'),
        isDefault: z.boolean().describe('The clinic has chosen none'),
        purgedUntil: Instant.nullable().describe(
          'Nothing that is older has contents left; null where nothing was looked through yet',
        ),
      }),
    ),
  })
  .meta({ id: 'Retention' });
export type RetentionView = z.infer<typeof RetentionView>;
