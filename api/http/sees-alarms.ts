import { roleHas } from '@clinic/shared/domain/accounts/rights';
import type { SessionCaller } from './route';

/** Alarms are those of administrators: nobody else looks at one, who may be whom it is about, and neither does emergency access, which is one. */
export const seesAlarms = ({ role, isEmergency }: SessionCaller): boolean => !isEmergency && roleHas(role, 'audit');
