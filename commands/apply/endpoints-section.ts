import type { Stores } from '@clinic/prisma/stores';
import { FurtherEndpointSettings } from '@clinic/shared/contracts/events/outbound-endpoints';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import type { Section } from './section';

/** The clinic's own endpoint is the section `outbound`. */
const MAX_FURTHER = MAX_ENDPOINTS - 1;

const Endpoints = z
  .array(FurtherEndpointSettings)
  .max(MAX_FURTHER, `are ${MAX_FURTHER} at most, beside the one of outbound`)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must have names of their own');

/** Endpoints beside the first one, known by their names: one that is left out is removed, a new one's secret is shown once. */
export function endpointsSection({ endpoints }: Pick<Stores, 'endpoints'>): Section {
  return {
    async plan(clinicId, said) {
      const present = await endpoints.list(clinicId);
      const byName = new Map(present.map((each) => [each.name, each]));
      if (byName.size < present.length)
        throw new AppError('conflict', 'cannot be told apart: two have one name, rename or remove one of them first');
      const wanted = Endpoints.parse(said).map(({ enabled, ...settings }) => ({ ...settings, isEnabled: enabled }));
      const kept = new Set(wanted.flatMap(({ name }) => byName.get(name)?.id ?? []));
      return {
        before: settingsByName(present),
        after: settingsByName(wanted),
        async save({ by }) {
          const shown: Record<string, string> = {};
          // First what goes, so that there is room.
          for (const { id } of present) if (!kept.has(id)) await endpoints.remove(clinicId, id, by);
          for (const settings of wanted) {
            const id = byName.get(settings.name)?.id;
            if (id !== undefined) await endpoints.change(clinicId, id, settings, by);
            else {
              const added = await endpoints.add(clinicId, settings, by);
              if (added) shown[`endpoints/${settings.name}`] = added.secret;
            }
          }
          return { shown };
        },
      };
    },
  };
}

/** What the file can say of each. */
const settingsByName = (all: { name: string; url: string; isEnabled: boolean; events: string[] }[]) =>
  Object.fromEntries(all.map(({ name, url, isEnabled, events }) => [name, { url, enabled: isEnabled, events }]));
