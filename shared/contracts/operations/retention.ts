import { z } from 'zod';
import { Instant } from '../primitives';
import { type RetentionKind, retentionKinds, retentionLimits } from '../../domain/operations/retention';

const daysOf = (kind: RetentionKind) => {
  const { minDays, maxDays } = retentionLimits(kind);
  return z.int().min(minDays).max(maxDays);
};

const RetentionKindName = z.enum(retentionKinds).meta({ id: 'RetentionKind' });

/** `PUT /retention`: days by kind; null takes the default again, and what is not named stays as it is. */
export const ChangeRetention = z
  .strictObject(Object.fromEntries(retentionKinds.map((kind) => [kind, daysOf(kind).nullable().optional()])))
  .meta({ id: 'ChangeRetention' });

export const RetentionView = z
  .object({
    items: z.array(
      z.object({
        kind: RetentionKindName,
        days: z.int().describe('For how many days its contents are kept'),
        minDays: z.int().describe('For how few it may be kept'),
        maxDays: z.int().describe('For how many it may be kept'),
        defaultDays: z.int().describe('For how many they are kept where the clinic has chosen none'),
        isDefault: z.boolean().describe('The clinic has chosen none'),
        purgedUntil: Instant.nullable().describe(
          'Nothing that is older has contents left; null where nothing was looked through yet',
        ),
      }),
    ),
  })
  .meta({ id: 'Retention' });
export type RetentionView = z.infer<typeof RetentionView>;

/** `POST /retention/preview`. */
export const RetentionPreview = z
  .object({
    items: z.array(
      z.object({
        kind: RetentionKindName,
        days: z.int(),
        due: z.int().describe('How many records would lose their contents now, up to 1,000'),
      }),
    ),
  })
  .meta({ id: 'RetentionPreview' });
