import { notifications } from '@mantine/notifications';
import { sentenceOf } from '../http/service';

const closeButtonProps = { 'aria-label': 'Dismiss' };

/** Tells what an action did; spoken to screen readers as well. */
export const sayDone = (message: string) =>
  notifications.show({ message, color: 'green', autoClose: 4_000, closeButtonProps });

export const sayFailed = (error: unknown) =>
  notifications.show({ message: sentenceOf(error), color: 'red', autoClose: 8_000, role: 'alert', closeButtonProps });
