// The dialogs that actions open by themselves, for `dashboard.ts`: kept, so that a test can read and answer them.
import { Fragment, jsx, jsxs } from './jsx-runtime.mjs';

export * from '@mantine/modals';

/** Those that were opened and not yet looked at, as components. */
export const opened = [];

const open = (...parts) => {
  opened.push(() => jsxs(Fragment, { children: parts.map((part) => part()) }));
};

export const modals = {
  open: ({ title, children }) =>
    open(
      () => jsx('h2', { children: title }),
      () => children,
    ),
  openConfirmModal: ({ title, children, labels, confirmProps, onConfirm, onCancel }) =>
    open(
      () => jsx('h2', { children: title }),
      () => children,
      () => jsx('button', { ...confirmProps, onClick: onConfirm, children: labels.confirm }),
      () => jsx('button', { onClick: onCancel ?? (() => undefined), children: labels.cancel }),
    ),
  close: () => undefined,
};
