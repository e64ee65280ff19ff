import type * as Api from '../http/client/types.gen';
import { locale } from '../language';

/** `437`, or `1,000+` where there may be more than were counted. */
export const formatTotal = ({ count, isMore }: Api.Total): string =>
  `${count.toLocaleString(locale)}${isMore ? '+' : ''}`;
