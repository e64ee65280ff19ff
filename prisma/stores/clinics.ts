import type { RecoveryPolicy } from '@clinic/shared/domain/recovery-policy';
import { defaultOutboundEvents } from '@clinic/shared/contracts/outbound-events';
import { inboundEvents } from '@clinic/shared/contracts/inbound-events';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { Prisma } from '../generated/client';

export interface ClinicRecord {
  id: string;
  name: string;
  timezone: string;
  defaultCountry: string;
  isSandboxEnabled: boolean;
}

export interface OutboundEndpointRecord {
  url: string | null;
  isEnabled: boolean;
  disabledReason: string | null;
  events: string[];
}

export interface ClinicStores {
  create(input: {
    name: string;
    timezone: string;
    isDemo: boolean;
    voiceProvider: 'simulator' | 'vapi';
    policy: RecoveryPolicy;
  }): Promise<string>;
  find(clinicId: string): Promise<ClinicRecord | null>;
  outboundEndpoint(clinicId: string): Promise<OutboundEndpointRecord>;
  /** Registers where events are sent; enabling it again clears what disabled it. */
  setOutboundEndpoint(
    clinicId: string,
    endpoint: { url: string | null; isEnabled: boolean; events: string[] },
  ): Promise<void>;
  policy(clinicId: string): Promise<RecoveryPolicy>;
  setPolicy(clinicId: string, policy: RecoveryPolicy): Promise<void>;
}

/** Names of the inbound URLs a clinic has. */
export const inboundPaths = Object.keys(inboundEvents) as (keyof typeof inboundEvents)[];

export function createClinicStores({ sql, prisma }: Database): ClinicStores {
  return {
    async create({ name, timezone, isDemo, voiceProvider, policy }) {
      const id = newId('clinic');
      await prisma.clinic.create({
        data: {
          id,
          name,
          timezone,
          isDemo,
          voiceProvider,
          policy: { create: toRow(policy) },
          endpoint: { create: { events: defaultOutboundEvents } },
        },
      });
      return id;
    },

    async find(clinicId) {
      const [clinic] = await sql<ClinicRecord>`
        select id, name, timezone, default_country as "defaultCountry", sandbox_enabled as "isSandboxEnabled"
        from clinics where id = ${clinicId}`;
      return clinic ?? null;
    },

    async outboundEndpoint(clinicId) {
      const found = await prisma.outboundEndpoint.findUnique({ where: { clinicId } });
      return {
        url: found?.url ?? null,
        isEnabled: found?.isEnabled ?? true,
        disabledReason: found?.disabledReason ?? null,
        events: found?.events ?? defaultOutboundEvents,
      };
    },

    async setOutboundEndpoint(clinicId, endpoint) {
      const data = { ...endpoint, disabledReason: null };
      await prisma.outboundEndpoint.upsert({ where: { clinicId }, create: { clinicId, ...data }, update: data });
    },

    async policy(clinicId) {
      const { callingHours, ...row } = await prisma.recoveryPolicy.findUniqueOrThrow({
        where: { clinicId },
        omit: { clinicId: true },
      });
      return { ...row, callingHours: callingHours as RecoveryPolicy['callingHours'] };
    },

    async setPolicy(clinicId, policy) {
      await prisma.recoveryPolicy.update({ where: { clinicId }, data: toRow(policy) });
    },
  };
}

const toRow = ({ callingHours, ...policy }: RecoveryPolicy) => ({
  ...policy,
  callingHours: callingHours as Prisma.InputJsonObject,
});
