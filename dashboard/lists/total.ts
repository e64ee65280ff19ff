import type * as api from '#api';
import { locale } from '../language';

/** `437`, or `1,000+` where there may be more than were counted. */
export const formatTotal = ({ count, isMore }: api.Total): string =>
  `${count.toLocaleString(locale)}${isMore ? '+' : ''}`;
