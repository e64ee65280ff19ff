import { useDeferredValue } from 'react';
import { NavigationType, useNavigationType } from 'react-router';

/**
 * Whether the rest of a page is drawn, which nobody sees at first: false in its first picture, and true right after it. On the way
 * back it is true at once, for the browser looks for the place where somebody was.
 */
export const useIsRestDue = (): boolean => useDeferredValue(true, useNavigationType() === NavigationType.Pop);
