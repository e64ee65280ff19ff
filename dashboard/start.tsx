// The first, since texts may be read as a module is loaded.
import { i18n } from './activate';
import { I18nProvider } from '@lingui/react';
import { MantineProvider, Modal } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, ScrollRestoration } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { createQueries } from '#http';
import { Boundary, keepFocus } from '#parts';
import { App } from './app';
import { cssVariables, theme } from './theme';

const queries = createQueries();
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The scroll lock of dialogs writes a style element of its own.
setNonce(nonce);

/** A router of this kind can ask before a page with unsaved changes is left. */
const router = createBrowserRouter([
  {
    path: '*',
    element: (
      <Modal.Stack>
        <ModalsProvider modalProps={{ stackId: 'question' }}>
          <ScrollRestoration />
          <Notifications position="bottom-right" limit={4} />
          <Boundary at="everywhere">
            <App />
          </Boundary>
        </ModalsProvider>
      </Modal.Stack>
    ),
  },
]);

keepFocus();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </MantineProvider>,
  );
}
