import type { Part } from '@clinic/shared/domain/voice/scenes';
import type { Talk } from '../talk';

/** What the callers of one workflow type do, by the part that they play. The other parts are the same in all of them. */
export type Cast = Record<Exclude<Part, 'never-answers' | 'hangs-up'>, Talk>;
