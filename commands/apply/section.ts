import type { Actor } from '@clinic/prisma/stores/operations/audit';

/** What a section would change, and how it is changed. `shown` is what is to be told once, as a new secret. */
export interface SectionPlan {
  before: unknown;
  after: unknown;
  save(context: { by: Actor; signal: AbortSignal }): Promise<{ shown?: Record<string, string> } | void>;
}

/** A part of the file. It is written as the body of its route in `/api/integrations`. */
export interface Section {
  /**
   * What the file says of it, over what is there: a field that is left out stays as it is, a list or an object is the whole
   * of it. Throws `ZodError` with paths below the section, or `AppError` with such details.
   */
  plan(clinicId: string, said: unknown): Promise<SectionPlan>;
}
